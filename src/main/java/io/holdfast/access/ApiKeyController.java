package io.holdfast.access;

import io.holdfast.idempotency.Digest;
import io.holdfast.idempotency.http.IdempotencyHttp;
import io.holdfast.idempotency.store.IdempotentRouteCall.Route;
import io.holdfast.web.InvalidField;
import io.holdfast.web.JsonBody;
import io.holdfast.web.OpenApiInfo;
import io.holdfast.web.PageRequest;
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

/// Routes that create, list and revoke API keys.
@Controller("/v1/keys")
@OpenApiInfo.MayRefuse
@Secured("operate")
@SecurityRequirement(name = OpenApiInfo.KEY)
@ExecuteOn(TaskExecutors.BLOCKING)
final class ApiKeyController {
  private final ApiKeyService keys;
  private final IdempotencyHttp idempotency;

  ApiKeyController(ApiKeyService keys, IdempotencyHttp idempotency) {
    this.keys = keys;
    this.idempotency = idempotency;
  }

  @Operation(operationId = "createApiKey", summary = "Create an API key", tags = "Access")
  @ApiResponse(
      responseCode = "201",
      description = "The key. It is shown only in this response and its replays.",
      content = @Content(schema = @Schema(implementation = ApiKeyService.Created.class)))
  @ApiResponse(
      responseCode = "403",
      description =
          "forbidden: the key is for another caller, or has a scope that the maker lacks.")
  @Parameter(
      in = ParameterIn.HEADER,
      name = IdempotencyHttp.HEADER,
      required = true,
      schema = @Schema(implementation = String.class))
  @RequestBody(content = @Content(schema = @Schema(implementation = NewApiKey.class)))
  @Post
  HttpResponse<?> create(
      @Parameter(hidden = true) Caller caller,
      @Parameter(hidden = true) HttpHeaders headers,
      @Body byte[] bytes) {
    var token = idempotency.token(headers);
    var body = JsonBody.read(bytes);
    refuseMoreThanOwn(caller, body);
    var digest = Digest.of(Route.CREATE_KEY.word(), List.of(), body);
    var call = idempotency.call(caller.name(), Route.CREATE_KEY, token, digest);
    return idempotency.answer(
        keys.create(call, body), stored -> ApiKeyService.KEY.revealed(stored, token));
  }

  @Operation(
      operationId = "listApiKeys",
      summary = "List the keys of the caller and those that it has made",
      description = "Revoked keys are listed, too. No key is shown.",
      tags = "Access")
  @ApiResponse(
      responseCode = "200",
      description = "One page. The Link header has the URL of the next page.",
      content = @Content(schema = @Schema(implementation = ApiKeyService.Listed.class)))
  @Get
  HttpResponse<?> list(
      @Parameter(hidden = true) Caller maker,
      @Parameter(description = "Only the keys of this caller.") @QueryValue @Nullable String caller,
      @Parameter(description = "`true`: only revoked keys. `false`: only those in force.")
          @QueryValue
          @Nullable String revoked,
      @QueryValue @Nullable String after,
      @QueryValue @Nullable String limit) {
    var page = PageRequest.read(after, limit);
    return keys.page(maker.name(), caller, PageRequest.flag("revoked", revoked), page);
  }

  @Operation(
      operationId = "revokeApiKey",
      summary = "Revoke an API key permanently",
      description = "A key of another caller is not found without the scope `admin`.",
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
    var token = idempotency.token(headers);
    var digest = Digest.of(Route.REVOKE_KEY.word(), List.of(id), Map.of());
    var call = idempotency.call(caller.name(), Route.REVOKE_KEY, token, digest);
    return idempotency.answer(keys.revoke(call, caller, id));
  }

  /// Not stored under the token, like every refusal for want of a scope.
  private static void refuseMoreThanOwn(Caller caller, Map<String, @Nullable Object> body) {
    NewApiKey key;
    try {
      key = NewApiKey.of(body);
    } catch (InvalidField e) {
      return; // `ApiKeyService` refuses the body and stores the refusal under the token
    }
    if (!caller.mayManageKeysOf(key.caller())) {
      throw AuthProblems.otherCallersKey();
    }
    var scope = key.notHeldBy(caller);
    if (scope != null) {
      throw AuthProblems.scopeNotHeld(scope);
    }
  }
}
