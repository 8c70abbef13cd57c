package io.holdfast.access;

import io.holdfast.idempotency.Digest;
import io.holdfast.idempotency.http.IdempotencyHttp;
import io.holdfast.idempotency.store.IdempotentRouteCall.Route;
import io.holdfast.web.InvalidField;
import io.holdfast.web.JsonBody;
import io.holdfast.web.OpenApiInfo;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Delete;
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

/// Makes and revokes API keys.
@Controller("/v1/keys")
@OpenApiInfo.MayRefuse
@Secured("operate")
@SecurityRequirement(name = OpenApiInfo.KEY)
@ExecuteOn(TaskExecutors.BLOCKING)
final class ApiKeyController {
  private final ApiKeyService desk;
  private final IdempotencyHttp once;

  ApiKeyController(ApiKeyService desk, IdempotencyHttp once) {
    this.desk = desk;
    this.once = once;
  }

  @Operation(operationId = "createApiKey", summary = "Create an API key", tags = "Access")
  @ApiResponse(
      responseCode = "201",
      description = "The key. It is shown only in this response and its replays.",
      content = @Content(schema = @Schema(implementation = ApiKeyService.Made.class)))
  @ApiResponse(
      responseCode = "403",
      description = "forbidden: the caller lacks a scope that it asked for.")
  @Parameter(
      in = ParameterIn.HEADER,
      name = IdempotencyHttp.HEADER,
      required = true,
      schema = @Schema(implementation = String.class))
  @RequestBody(content = @Content(schema = @Schema(implementation = NewApiKey.class)))
  @Post
  HttpResponse<?> make(
      @Parameter(hidden = true) Caller caller,
      @Parameter(hidden = true) HttpHeaders headers,
      @Body byte[] body) {
    var token = once.token(headers);
    var asked = JsonBody.read(body);
    var tooMuch = beyond(caller, asked);
    if (tooMuch != null) {
      throw AuthProblems.ungivable(tooMuch);
    }
    var digest = Digest.of(Route.CREATE_KEY.word(), List.of(), asked);
    var call = once.call(caller.name(), Route.CREATE_KEY, token, digest);
    return once.answer(desk.make(call, asked), stored -> ApiKeyService.KEY.revealed(stored, token));
  }

  @Operation(
      operationId = "revokeApiKey",
      summary = "Revoke an API key permanently",
      tags = "Access")
  @ApiResponse(
      responseCode = "200",
      description = "The key is revoked.",
      content = @Content(schema = @Schema(implementation = ApiKeyService.Revoked.class)))
  @Parameter(
      in = ParameterIn.HEADER,
      name = IdempotencyHttp.HEADER,
      required = true,
      schema = @Schema(implementation = String.class))
  @Delete("/{id}")
  HttpResponse<?> revoke(
      @Parameter(hidden = true) Caller caller,
      @Parameter(hidden = true) HttpHeaders headers,
      @PathVariable String id) {
    var token = once.token(headers);
    var digest = Digest.of(Route.REVOKE_KEY.word(), List.of(id), Map.of());
    var call = once.call(caller.name(), Route.REVOKE_KEY, token, digest);
    return once.answer(desk.revoke(call, id));
  }

  /// What cannot be read is refused later, under the token.
  private static @Nullable Scope beyond(Caller caller, Map<String, @Nullable Object> asked) {
    try {
      return NewApiKey.of(asked).beyond(caller);
    } catch (InvalidField e) {
      return null;
    }
  }
}
