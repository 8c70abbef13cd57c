package io.holdfast.commitment.authorization;

import io.holdfast.access.Caller;
import io.holdfast.idempotency.Digest;
import io.holdfast.idempotency.http.IdempotencyHttp;
import io.holdfast.idempotency.store.IdempotentRouteCall.Route;
import io.holdfast.pool.HoldId;
import io.holdfast.web.JsonBody;
import io.holdfast.web.OpenApiInfo;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
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
import java.util.Optional;

/// Issues nonces, each for one operation on one hold.
@Controller("/v1/authorizations")
@OpenApiInfo.MayRefuse
@Secured("operate")
@SecurityRequirement(name = OpenApiInfo.KEY)
@ExecuteOn(TaskExecutors.BLOCKING)
final class AuthorizationController {
  private final AuthorizationNonces nonces;
  private final IdempotencyHttp once;

  AuthorizationController(AuthorizationNonces nonces, IdempotencyHttp once) {
    this.nonces = nonces;
    this.once = once;
  }

  @Operation(
      operationId = "createAuthorization",
      summary = "Create a nonce for one operation on one hold",
      tags = "Commitments")
  @ApiResponse(
      responseCode = "201",
      description = "The nonce. It is shown only in this response and its replays.",
      content = @Content(schema = @Schema(implementation = AuthorizationNonces.Made.class)))
  @ApiResponse(responseCode = "404", description = "not-known: no pool has such a hold.")
  @Parameter(
      in = ParameterIn.HEADER,
      name = IdempotencyHttp.HEADER,
      required = true,
      schema = @Schema(implementation = String.class))
  @RequestBody(content = @Content(schema = @Schema(implementation = AuthorizationBody.class)))
  @Post
  HttpResponse<?> make(
      @Parameter(hidden = true) Caller caller,
      @Parameter(hidden = true) HttpHeaders headers,
      @Body byte[] body) {
    var token = once.token(headers);
    var asked = JsonBody.read(body);
    var digest = Digest.of(Route.CREATE_AUTHORIZATION.word(), List.of(), asked);
    var hold =
        asked.get("holdId") instanceof String id ? HoldId.parse(id) : Optional.<HoldId>empty();
    var call =
        once.call(caller.name(), Route.CREATE_AUTHORIZATION, token, digest)
            .about(hold.map(HoldId::pool));
    return once.answer(
        nonces.make(call, asked), stored -> AuthorizationNonces.NONCE.revealed(stored, token));
  }
}
