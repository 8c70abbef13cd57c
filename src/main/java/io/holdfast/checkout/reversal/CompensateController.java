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

/// The route that reverses sales that failed their verification.
@Controller("/v1/holds")
@OpenApiInfo.MayRefuse
@Secured("operate")
@SecurityRequirement(name = OpenApiInfo.KEY)
@ExecuteOn(TaskExecutors.BLOCKING)
final class CompensateController {
  private final SaleCompensation sales;
  private final IdempotencyHttp idempotency;

  CompensateController(SaleCompensation sales, IdempotencyHttp idempotency) {
    this.sales = sales;
    this.idempotency = idempotency;
  }

  @Operation(
      operationId = "compensateSale",
      summary = "Reverse a sale that failed its verification",
      description =
          "For a sale that answers 409 `compensating`. It is reversed once, with a nonce for the"
              + " operation `compensate`. Its logical key stays consumed.",
      tags = "Commitments")
  @ApiResponse(
      responseCode = "200",
      description = "The sale is reversed, and its items are free.",
      content = @Content(schema = @Schema(implementation = SaleCompensation.Compensated.class)))
  @ApiResponse(responseCode = "403", description = "nonce-unbound, nonce-consumed")
  @ApiResponse(responseCode = "404", description = "not-known")
  @ApiResponse(
      responseCode = "409",
      description = "not-compensating, already-voided, checkout-running")
  @Parameter(
      in = ParameterIn.HEADER,
      name = IdempotencyHttp.HEADER,
      required = true,
      schema = @Schema(implementation = String.class))
  @RequestBody(content = @Content(schema = @Schema(implementation = CompensateBody.class)))
  @Post("/{holdId}/compensate")
  HttpResponse<?> compensate(
      @Parameter(hidden = true) Caller caller,
      @Parameter(hidden = true) HttpHeaders headers,
      String holdId,
      @Body byte[] body) {
    var token = idempotency.token(headers);
    var fields = JsonBody.read(body);
    var digest = Digest.of(Route.COMPENSATE_SALE.word(), List.of(holdId), fields);
    var call = idempotency.call(caller.name(), Route.COMPENSATE_SALE, token, digest);
    return idempotency.answer(sales.compensate(call, holdId, fields));
  }
}
