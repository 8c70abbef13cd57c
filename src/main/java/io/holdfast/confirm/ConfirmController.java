package io.holdfast.confirm;

import io.holdfast.access.Caller;
import io.holdfast.hold.HoldApiSchemas;
import io.holdfast.hold.IdempotentCall;
import io.holdfast.hold.IdempotentCall.Request;
import io.holdfast.idempotency.http.IdempotencyHttp;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.TokenAction;
import io.holdfast.web.OpenApiInfo;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Post;
import io.micronaut.security.annotation.Secured;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.enums.ParameterIn;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.parameters.RequestBody;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.security.SecurityRequirement;
import java.util.concurrent.CompletionStage;

/// The route that sells a hold.
@Controller("/v1")
@OpenApiInfo.MayRefuse
@SecurityRequirement(name = OpenApiInfo.KEY)
final class ConfirmController {
  private final ConfirmFlow flow;
  private final IdempotentCall calls;

  ConfirmController(ConfirmFlow flow, IdempotentCall calls) {
    this.flow = flow;
    this.calls = calls;
  }

  @Operation(
      operationId = "confirmHold",
      summary = "Confirm a hold: sell its items to the requester",
      description =
          "The sale is made before `expiresAt`, by the clock of Postgres. A confirm that arrives"
              + " within the clock margin before it (`HOLDFAST_MAX_CLOCK_SKEW`, 500 ms) is refused"
              + " with 410 `window-elapsed`, although the hold is still HELD.",
      tags = "Holds")
  @Parameter(
      name = IdempotencyHttp.HEADER,
      in = ParameterIn.HEADER,
      required = true,
      schema = @Schema(implementation = String.class))
  @RequestBody(content = @Content(schema = @Schema(implementation = ConfirmBody.class)))
  @ApiResponse(
      responseCode = "200",
      description = "The hold is CONFIRMED: the items are sold.",
      content = @Content(schema = @Schema(implementation = HoldApiSchemas.Hold.class)))
  @ApiResponse(
      responseCode = "410",
      description = "window-elapsed: the time is over, or within the clock margin before its end")
  @ApiResponse(
      responseCode = "409",
      description = "not-held, stale-fence, replay-duplicate, compensating, attempt-collision")
  @ApiResponse(responseCode = "403", description = "nonce-unbound, nonce-consumed")
  @ApiResponse(responseCode = "404", description = "not-known")
  @ApiResponse(responseCode = "422", description = "token-collision")
  @ApiResponse(responseCode = "503", description = "storage-failure, overloaded")
  @Post("/holds/{holdId}/confirm")
  @Secured("commit")
  CompletionStage<HttpResponse<?>> confirm(
      @Parameter(hidden = true) HttpRequest<?> http,
      String holdId,
      @Body byte[] body,
      Caller caller) {
    return calls.execute(
        Request.onHold(TokenAction.CONFIRM, caller, holdId, http.getHeaders(), body),
        (call, fields) ->
            flow.confirm(
                call,
                HoldId.parse(holdId).orElseThrow(),
                ConfirmBody.read(fields, call.pool().kind())));
  }
}
