package io.holdfast.checkout.reversal;

import io.holdfast.access.Caller;
import io.holdfast.idempotency.Digest;
import io.holdfast.idempotency.http.IdempotencyHttp;
import io.holdfast.idempotency.store.IdempotentRouteCall.Route;
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

/// The route that voids sales.
@Controller("/v1/commitments")
@OpenApiInfo.MayRefuse
@Secured("operate")
@SecurityRequirement(name = OpenApiInfo.KEY)
@ExecuteOn(TaskExecutors.BLOCKING)
final class VoidController {
  private final VoidSale sales;
  private final IdempotencyHttp idempotency;

  VoidController(VoidSale sales, IdempotencyHttp idempotency) {
    this.sales = sales;
    this.idempotency = idempotency;
  }

  @Operation(
      operationId = "voidCommitment",
      summary = "Void a sale, or a part of it, and refund the buyer",
      description =
          "Without items and quantity, all that is not voided yet is voided. A sale can be voided"
              + " in any number of parts.",
      tags = "Commitments")
  @ApiResponse(
      responseCode = "200",
      description = "The items are free again. If there was a payment, its refund has started.",
      content = @Content(schema = @Schema(implementation = VoidSale.Voided.class)))
  @ApiResponse(
      responseCode = "409",
      description = "already-voided, refund-too-late, checkout-running, compensating")
  @ApiResponse(responseCode = "404", description = "not-known")
  @Parameter(
      in = ParameterIn.HEADER,
      name = IdempotencyHttp.HEADER,
      required = true,
      schema = @Schema(implementation = String.class))
  @RequestBody(content = @Content(schema = @Schema(implementation = VoidBody.class)))
  @Post("/{commitmentId}/void")
  HttpResponse<?> reverse(
      @Parameter(hidden = true) Caller caller,
      @Parameter(hidden = true) HttpHeaders headers,
      String commitmentId,
      @Body byte[] body) {
    var token = idempotency.token(headers);
    var fields = JsonBody.read(body);
    var digest = Digest.of(Route.VOID_COMMITMENT.word(), List.of(commitmentId), fields);
    var call = idempotency.call(caller.name(), Route.VOID_COMMITMENT, token, digest);
    return idempotency.answer(sales.reverse(call, commitmentId, fields));
  }
}
