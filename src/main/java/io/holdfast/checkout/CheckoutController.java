package io.holdfast.checkout;

import io.holdfast.access.Caller;
import io.holdfast.checkout.saga.CheckoutId;
import io.holdfast.idempotency.Digest;
import io.holdfast.idempotency.http.IdempotencyHttp;
import io.holdfast.idempotency.store.IdempotentRouteCall.Route;
import io.holdfast.web.JsonBody;
import io.holdfast.web.OpenApiInfo;
import io.holdfast.web.PageRequest;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.micronaut.security.annotation.Secured;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.enums.ParameterIn;
import io.swagger.v3.oas.annotations.headers.Header;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.parameters.RequestBody;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.security.SecurityRequirement;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The routes of checkouts.
@Controller("/v1/checkouts")
@OpenApiInfo.MayRefuse
@SecurityRequirement(name = OpenApiInfo.KEY)
@ExecuteOn(TaskExecutors.BLOCKING)
final class CheckoutController {
  private final CheckoutService checkouts;
  private final CheckoutQueries queries;
  private final StuckCheckoutResume stuck;
  private final IdempotencyHttp idempotency;

  CheckoutController(
      CheckoutService checkouts,
      CheckoutQueries queries,
      StuckCheckoutResume stuck,
      IdempotencyHttp idempotency) {
    this.checkouts = checkouts;
    this.queries = queries;
    this.stuck = stuck;
    this.idempotency = idempotency;
  }

  @Operation(
      operationId = "startCheckout",
      summary = "Start a checkout: pay for a hold and sell its items",
      tags = "Checkouts")
  @ApiResponse(
      responseCode = "202",
      description = "The checkout has started. The body shows its present state.",
      headers = @Header(name = "Location", ref = "#/components/headers/Location"),
      content = @Content(schema = @Schema(implementation = CheckoutJson.class)))
  @ApiResponse(
      responseCode = "200",
      description = "The checkout is FULFILLED (with `Prefer: wait=N`).",
      headers = @Header(name = "Location", ref = "#/components/headers/Location"),
      content = @Content(schema = @Schema(implementation = CheckoutJson.class)))
  @ApiResponse(
      responseCode = "409",
      description = "checkout-failed, checkout-exists, not-held, stale-fence",
      headers = @Header(name = "Location", ref = "#/components/headers/Location"))
  @ApiResponse(
      responseCode = "410",
      description =
          "window-elapsed: the time of the hold is over. Within the clock margin before its"
              + " expiresAt (`HOLDFAST_MAX_CLOCK_SKEW`, 500 ms) a checkout starts and ends with"
              + " this failure, before any payment.")
  @ApiResponse(
      responseCode = "422",
      description = "amount-mismatch, unknown-method, unknown-provider, token-collision")
  @ApiResponse(responseCode = "404", description = "not-known")
  @Parameter(
      in = ParameterIn.HEADER,
      name = IdempotencyHttp.HEADER,
      required = true,
      schema = @Schema(implementation = String.class))
  @Parameter(
      in = ParameterIn.HEADER,
      name = CheckoutQueries.PREFER,
      description = "`wait=N`: wait up to N seconds for the end of the checkout.",
      schema = @Schema(implementation = String.class))
  @RequestBody(content = @Content(schema = @Schema(implementation = CheckoutRequest.class)))
  @Post
  @Secured("commit")
  HttpResponse<?> start(
      @Parameter(hidden = true) Caller caller,
      @Parameter(hidden = true) HttpHeaders headers,
      @Body byte[] body) {
    var token = idempotency.token(headers);
    var fields = JsonBody.read(body);
    caller.refuseOtherRequester(fields);
    var digest = Digest.of(Route.CREATE_CHECKOUT.word(), List.of(), fields);
    var call = idempotency.call(caller.name(), Route.CREATE_CHECKOUT, token, digest);
    var wait = CheckoutQueries.preferredWait(headers);
    var outcome = checkouts.start(call, fields, wait.isPositive());
    return queries.response(outcome, idempotency.answer(outcome), wait);
  }

  @Operation(
      operationId = "listCheckouts",
      summary = "List checkouts",
      description =
          "Those of the caller, in the order of their pools and ids. With the scope `operate` or"
              + " `audit`, those of all callers.",
      tags = "Checkouts")
  @ApiResponse(
      responseCode = "200",
      description = "One page. The Link header has the URL of the next page.",
      content = @Content(schema = @Schema(implementation = CheckoutJson.Listed.class)))
  @Get
  @Secured({"commit", "operate", "audit"})
  HttpResponse<?> list(
      @Parameter(hidden = true) Caller caller,
      @Parameter(description = "Only those in this state, such as `STUCK`.") @QueryValue
          @Nullable String state,
      @QueryValue @Nullable String pool,
      @QueryValue @Nullable String after,
      @QueryValue @Nullable String limit) {
    var listing = new CheckoutQueries.Listing(state, pool, caller.limitOfLists());
    return queries.page(listing, PageRequest.read(after, limit));
  }

  @Operation(operationId = "getCheckout", summary = "Get a checkout", tags = "Checkouts")
  @ApiResponse(
      responseCode = "200",
      description = "The state of the checkout and of its steps.",
      content = @Content(schema = @Schema(implementation = CheckoutJson.class)))
  @ApiResponse(responseCode = "404", description = "not-known")
  @Get("/{checkoutId}")
  @Secured("commit")
  HttpResponse<?> read(@Parameter(hidden = true) Caller caller, String checkoutId) {
    return queries.find(checkoutId, caller.name());
  }

  /// For operators, who may resume the checkouts of all callers.
  @Operation(
      operationId = "resumeCheckout",
      summary = "Resume the compensation of a STUCK checkout",
      description = "For operators, who may resume the checkouts of all callers.",
      tags = "Checkouts")
  @ApiResponse(
      responseCode = "200",
      description = "The checkout is COMPENSATING again.",
      content = @Content(schema = @Schema(implementation = CheckoutJson.class)))
  @ApiResponse(responseCode = "409", description = "not-stuck")
  @ApiResponse(responseCode = "404", description = "not-known")
  @Parameter(
      in = ParameterIn.HEADER,
      name = IdempotencyHttp.HEADER,
      required = true,
      schema = @Schema(implementation = String.class))
  @Post("/{checkoutId}/resume")
  @Secured("operate")
  HttpResponse<?> resume(
      @Parameter(hidden = true) Caller caller,
      @Parameter(hidden = true) HttpHeaders headers,
      String checkoutId) {
    var token = idempotency.token(headers);
    var digest = Digest.of(Route.RESUME_CHECKOUT.word(), List.of(checkoutId), Map.of());
    var call =
        idempotency
            .call(caller.name(), Route.RESUME_CHECKOUT, token, digest)
            .about(CheckoutId.parse(checkoutId).map(CheckoutId::pool));
    return idempotency.answer(stuck.resume(call, checkoutId));
  }
}
