package io.holdfast.events.webhook;

import io.holdfast.access.Caller;
import io.holdfast.idempotency.Digest;
import io.holdfast.idempotency.http.IdempotencyHttp;
import io.holdfast.idempotency.store.IdempotentRouteCall;
import io.holdfast.idempotency.store.IdempotentRouteCall.Route;
import io.holdfast.web.JsonBody;
import io.holdfast.web.OpenApiInfo;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Patch;
import io.micronaut.http.annotation.PathVariable;
import io.micronaut.http.annotation.Post;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.micronaut.security.annotation.Secured;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.enums.ParameterIn;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.parameters.RequestBody;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.security.SecurityRequirement;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Routes that test and change a webhook that is there.
@Controller("/v1/webhooks")
@OpenApiInfo.MayRefuse
@Secured("operate")
@SecurityRequirement(name = OpenApiInfo.KEY)
@ExecuteOn(TaskExecutors.BLOCKING)
final class WebhookChangeController {
  private final WebhookService webhooks;
  private final WebhookPing ping;
  private final IdempotencyHttp idempotency;

  WebhookChangeController(WebhookService webhooks, WebhookPing ping, IdempotencyHttp idempotency) {
    this.webhooks = webhooks;
    this.ping = ping;
    this.idempotency = idempotency;
  }

  @Operation(
      operationId = "changeWebhook",
      summary = "Enable or disable a webhook",
      description = "Once enabled again, it gets the events from where it stopped.",
      tags = "Events")
  @ApiResponse(
      responseCode = "200",
      description = "The webhook as it is now.",
      content = @Content(schema = @Schema(implementation = WebhookJson.class)))
  @ApiResponse(responseCode = "404", description = "not-known: the caller has no such webhook.")
  @Parameter(
      in = ParameterIn.HEADER,
      name = IdempotencyHttp.HEADER,
      required = true,
      schema = @Schema(implementation = String.class))
  @RequestBody(content = @Content(schema = @Schema(implementation = WebhookBodies.Change.class)))
  @Patch("/{id}")
  HttpResponse<?> change(
      @Parameter(hidden = true) Caller caller,
      @Parameter(hidden = true) HttpHeaders headers,
      @PathVariable String id,
      @Body byte[] body) {
    var fields = JsonBody.read(body);
    var call = call(caller, headers, Route.CHANGE_WEBHOOK, id, fields);
    return idempotency.answer(webhooks.change(call, WebhookController.number(id), fields));
  }

  @Operation(
      operationId = "pingWebhook",
      summary = "Send a test event to a webhook and wait for its answer",
      description = "The type is `webhook.ping`. A disabled webhook gets it, too.",
      tags = "Events")
  @ApiResponse(
      responseCode = "200",
      description = "What the receiver has answered. A replay sends nothing.",
      content = @Content(schema = @Schema(implementation = WebhookJson.Pinged.class)))
  @ApiResponse(responseCode = "404", description = "not-known: the caller has no such webhook.")
  @Parameter(
      in = ParameterIn.HEADER,
      name = IdempotencyHttp.HEADER,
      required = true,
      schema = @Schema(implementation = String.class))
  @Post("/{id}/ping")
  HttpResponse<?> ping(
      @Parameter(hidden = true) Caller caller,
      @Parameter(hidden = true) HttpHeaders headers,
      @PathVariable String id) {
    var call = call(caller, headers, Route.PING_WEBHOOK, id, Map.of());
    return idempotency.answer(ping.ping(call, WebhookController.number(id)));
  }

  @Operation(
      operationId = "rotateWebhookSecret",
      summary = "Replace the secret of a webhook",
      description = "Both secrets sign for a while, so that a receiver can change them in between.",
      tags = "Events")
  @ApiResponse(
      responseCode = "200",
      description = "The new secret, which is shown only here.",
      content = @Content(schema = @Schema(implementation = WebhookJson.Rotated.class)))
  @ApiResponse(responseCode = "404", description = "not-known: the caller has no such webhook.")
  @Parameter(
      in = ParameterIn.HEADER,
      name = IdempotencyHttp.HEADER,
      required = true,
      schema = @Schema(implementation = String.class))
  @RequestBody(content = @Content(schema = @Schema(implementation = WebhookBodies.Rotate.class)))
  @Post("/{id}/rotate-secret")
  HttpResponse<?> rotateSecret(
      @Parameter(hidden = true) Caller caller,
      @Parameter(hidden = true) HttpHeaders headers,
      @PathVariable String id,
      @Body byte[] body) {
    var fields = JsonBody.read(body);
    var call = call(caller, headers, Route.ROTATE_WEBHOOK_SECRET, id, fields);
    return idempotency.answer(webhooks.rotateSecret(call, WebhookController.number(id), fields));
  }

  private IdempotentRouteCall call(
      Caller caller,
      HttpHeaders headers,
      Route route,
      String id,
      Map<String, @Nullable Object> fields) {
    var token = idempotency.token(headers);
    var digest = Digest.of(route.word(), List.of(id), fields);
    return idempotency.call(caller.name(), route, token, digest);
  }
}
