package io.holdfast.events.webhook;

import io.holdfast.access.Caller;
import io.holdfast.idempotency.Digest;
import io.holdfast.idempotency.http.IdempotencyHttp;
import io.holdfast.idempotency.store.IdempotentRouteCall.Route;
import io.holdfast.pool.PoolName;
import io.holdfast.web.InvalidField;
import io.holdfast.web.JsonBody;
import io.holdfast.web.OpenApiInfo;
import io.holdfast.web.PageRequest;
import io.holdfast.web.ProblemException;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Delete;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.PathVariable;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.QueryValue;
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

/// Routes of webhooks and their delivery log.
@Controller("/v1/webhooks")
@OpenApiInfo.MayRefuse
@Secured("operate")
@SecurityRequirement(name = OpenApiInfo.KEY)
@ExecuteOn(TaskExecutors.BLOCKING)
final class WebhookController {
  private final WebhookService webhooks;
  private final WebhookTable table;
  private final DeliveryLog log;
  private final IdempotencyHttp idempotency;

  WebhookController(
      WebhookService webhooks, WebhookTable table, DeliveryLog log, IdempotencyHttp idempotency) {
    this.webhooks = webhooks;
    this.table = table;
    this.log = log;
    this.idempotency = idempotency;
  }

  @Operation(operationId = "createWebhook", summary = "Register a webhook", tags = "Events")
  @ApiResponse(
      responseCode = "201",
      description =
          "The webhook with its secret, which is shown only here. It gets events from now on.",
      content = @Content(schema = @Schema(implementation = WebhookJson.Created.class)))
  @ApiResponse(responseCode = "409", description = "webhook-limit: there are too many webhooks.")
  @ApiResponse(
      responseCode = "422",
      description =
          "forbidden-address: the address is not public. unknown-address: the host is not found.")
  @Parameter(
      in = ParameterIn.HEADER,
      name = IdempotencyHttp.HEADER,
      required = true,
      schema = @Schema(implementation = String.class))
  @RequestBody(content = @Content(schema = @Schema(implementation = NewWebhook.class)))
  @Post
  HttpResponse<?> create(
      @Parameter(hidden = true) Caller caller,
      @Parameter(hidden = true) HttpHeaders headers,
      @Body byte[] body) {
    var token = idempotency.token(headers);
    var fields = JsonBody.read(body);
    var digest = Digest.of(Route.CREATE_WEBHOOK.word(), List.of(), fields);
    var call = idempotency.call(caller.name(), Route.CREATE_WEBHOOK, token, digest);
    return idempotency.answer(webhooks.create(call, fields));
  }

  @Operation(operationId = "listWebhooks", summary = "List the caller's webhooks", tags = "Events")
  @ApiResponse(
      responseCode = "200",
      description = "One page. The Link header has the URL of the next page.",
      content = @Content(schema = @Schema(implementation = WebhookJson.Listed.class)))
  @Get
  HttpResponse<?> list(
      @Parameter(hidden = true) Caller caller,
      @Parameter(description = "`true`: only enabled webhooks. `false`: only disabled ones.")
          @QueryValue
          @Nullable String enabled,
      @Parameter(
              description =
                  "Only webhooks that get the events of this pool: those for it, and those for all"
                      + " pools.")
          @QueryValue
          @Nullable String pool,
      @QueryValue @Nullable String after,
      @QueryValue @Nullable String limit) {
    var page = PageRequest.read(after, limit);
    var isEnabled = PageRequest.flag("enabled", enabled);
    if (pool != null && !PoolName.isName(pool)) {
      throw InvalidField.of("pool", "is not the name of a pool");
    }
    var found = table.page(caller.name(), isEnabled, pool, page.afterNumber(), page.limit());
    var response =
        HttpResponse.ok(new WebhookJson.Listed(found.stream().map(WebhookJson::of).toList()));
    if (found.size() == page.limit()) {
      page.next(Long.toString(found.getLast().id()))
          .with("enabled", enabled)
          .with("pool", pool)
          .linkTo("/v1/webhooks", response);
    }
    return response;
  }

  @Operation(
      operationId = "getWebhook",
      summary = "Get a webhook without its secret",
      tags = "Events")
  @ApiResponse(
      responseCode = "200",
      description = "The webhook.",
      content = @Content(schema = @Schema(implementation = WebhookJson.class)))
  @ApiResponse(responseCode = "404", description = "not-known: the caller has no such webhook.")
  @Get("/{id}")
  HttpResponse<?> find(@Parameter(hidden = true) Caller caller, @PathVariable String id) {
    return HttpResponse.ok(WebhookJson.of(find(caller.name(), number(id))));
  }

  @Operation(
      operationId = "deleteWebhook",
      summary = "Delete a webhook; no more events are sent to it",
      tags = "Events")
  @ApiResponse(
      responseCode = "200",
      description = "The webhook is deleted.",
      content = @Content(schema = @Schema(implementation = WebhookJson.Deleted.class)))
  @ApiResponse(responseCode = "404", description = "not-known: the caller has no such webhook.")
  @Parameter(
      in = ParameterIn.HEADER,
      name = IdempotencyHttp.HEADER,
      required = true,
      schema = @Schema(implementation = String.class))
  @Delete("/{id}")
  HttpResponse<?> delete(
      @Parameter(hidden = true) Caller caller,
      @Parameter(hidden = true) HttpHeaders headers,
      @PathVariable String id) {
    var token = idempotency.token(headers);
    var digest = Digest.of(Route.DELETE_WEBHOOK.word(), List.of(id), Map.of());
    var call = idempotency.call(caller.name(), Route.DELETE_WEBHOOK, token, digest);
    return idempotency.answer(webhooks.delete(call, number(id)));
  }

  @Operation(
      operationId = "listDeliveries",
      summary = "List the delivery attempts of a webhook, newest first",
      tags = "Events")
  @ApiResponse(
      responseCode = "200",
      description = "One page of attempts. The Link header has the URL of the next page.",
      content = @Content(schema = @Schema(implementation = WebhookJson.Deliveries.class)))
  @ApiResponse(responseCode = "404", description = "not-known: the caller has no such webhook.")
  @Get("/{id}/deliveries")
  HttpResponse<?> deliveries(
      @Parameter(hidden = true) Caller caller,
      @PathVariable String id,
      @QueryValue @Nullable String after,
      @QueryValue @Nullable String limit) {
    var webhook = find(caller.name(), number(id));
    var page = PageRequest.read(after, limit);
    var attempts = log.page(webhook.id(), page.afterNumber(), page.limit());
    var response = HttpResponse.ok(WebhookJson.Deliveries.of(attempts));
    if (attempts.size() == page.limit()) {
      var path = "/v1/webhooks/" + webhook.id() + "/deliveries";
      page.next(Long.toString(attempts.getLast().id())).linkTo(path, response);
    }
    return response;
  }

  @Operation(
      operationId = "replayWebhook",
      summary = "Enable a webhook and send events to it again",
      tags = "Events")
  @ApiResponse(
      responseCode = "200",
      description = "The webhook is enabled and gets the events from there on.",
      content = @Content(schema = @Schema(implementation = WebhookJson.class)))
  @ApiResponse(responseCode = "404", description = "not-known: the caller has no such webhook.")
  @Parameter(
      in = ParameterIn.HEADER,
      name = IdempotencyHttp.HEADER,
      required = true,
      schema = @Schema(implementation = String.class))
  @RequestBody(content = @Content(schema = @Schema(implementation = ReplayBody.class)))
  @Post("/{id}/replay")
  HttpResponse<?> replay(
      @Parameter(hidden = true) Caller caller,
      @Parameter(hidden = true) HttpHeaders headers,
      @PathVariable String id,
      @Body byte[] body) {
    var token = idempotency.token(headers);
    var fields = JsonBody.read(body);
    var digest = Digest.of(Route.REPLAY_WEBHOOK.word(), List.of(id), fields);
    var call = idempotency.call(caller.name(), Route.REPLAY_WEBHOOK, token, digest);
    return idempotency.answer(webhooks.replay(call, number(id), fields));
  }

  private Webhook find(String caller, long id) {
    return table
        .find(caller, id)
        .orElseThrow(() -> new ProblemException(WebhookService.notKnown()));
  }

  /// Text that is not a number becomes -1, which no webhook has.
  static long number(String id) {
    try {
      return Long.parseLong(id);
    } catch (NumberFormatException e) {
      return -1;
    }
  }
}
