package io.holdfast.hold;

import io.holdfast.access.Caller;
import io.holdfast.catalogue.PoolRegistry;
import io.holdfast.hold.IdempotentCall.Request;
import io.holdfast.hold.pin.PinnedHoldEnding;
import io.holdfast.hold.seatsearch.BestSeats;
import io.holdfast.idempotency.http.IdempotencyHttp;
import io.holdfast.pass.Passes;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.TokenAction;
import io.holdfast.web.JsonBody;
import io.holdfast.web.JsonFields;
import io.holdfast.web.OpenApiInfo;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Post;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/// The routes that place and change holds.
@Controller("/v1")
@OpenApiInfo.MayRefuse
@SecurityRequirement(name = OpenApiInfo.KEY)
final class HoldController {
  private final HoldService holds;
  private final BestSeats best;
  private final HoldRelease release;
  private final PinnedHoldEnding pinned;
  private final AbsentHoldLookup absent;
  private final IdempotentCall calls;
  private final PoolRegistry pools;
  private final HoldMetrics metrics;
  private final Passes passes;

  HoldController(
      HoldService holds,
      BestSeats best,
      HoldRelease release,
      PinnedHoldEnding pinned,
      AbsentHoldLookup absent,
      IdempotentCall calls,
      PoolRegistry pools,
      HoldMetrics metrics,
      Passes passes) {
    this.holds = holds;
    this.best = best;
    this.release = release;
    this.pinned = pinned;
    this.absent = absent;
    this.calls = calls;
    this.pools = pools;
    this.metrics = metrics;
    this.passes = passes;
  }

  @Operation(
      operationId = "placeHold",
      summary = "Hold items, all or none, the best adjacent seats, or a quantity",
      tags = "Holds")
  @Parameter(
      name = IdempotencyHttp.HEADER,
      in = ParameterIn.HEADER,
      required = true,
      schema = @Schema(implementation = String.class))
  @Parameter(
      name = Passes.HEADER,
      in = ParameterIn.HEADER,
      description = "In a pool with a waiting room: the pass of an admitted ticket.",
      schema = @Schema(implementation = String.class))
  @RequestBody(content = @Content(schema = @Schema(implementation = PlaceHoldBody.class)))
  @ApiResponse(
      responseCode = "201",
      description = "The items are held for the requester.",
      headers = @Header(name = "Location", ref = "#/components/headers/Location"),
      content = @Content(schema = @Schema(implementation = HoldApiSchemas.Hold.class)))
  @ApiResponse(
      responseCode = "200",
      description = "The requester already held exactly these items.",
      headers = @Header(name = "Location", ref = "#/components/headers/Location"),
      content = @Content(schema = @Schema(implementation = HoldApiSchemas.Hold.class)))
  @ApiResponse(
      responseCode = "409",
      description =
          "resource-unavailable: `items` lists those that are taken. sales-closed: the pool takes"
              + " no holds now.")
  @ApiResponse(responseCode = "403", description = "not-admitted")
  @ApiResponse(responseCode = "429", description = "hold-limit")
  @ApiResponse(responseCode = "400", description = "invalid-request")
  @ApiResponse(responseCode = "422", description = "token-collision")
  @ApiResponse(responseCode = "503", description = "storage-failure, overloaded")
  @Post("/pools/{pool}/holds")
  @Secured("hold")
  CompletionStage<HttpResponse<?>> place(
      @Parameter(hidden = true) HttpRequest<?> http,
      String pool,
      @Body byte[] body,
      Caller caller) {
    var since = System.nanoTime();
    var request = new Request(TokenAction.PLACE_HOLD, caller, pool, pool, http.getHeaders(), body);
    return calls
        .execute(
            request,
            (call, fields) ->
                place(call, PlaceHoldBody.read(fields, call.pool()), http.getHeaders()))
        .whenComplete((_, _) -> metrics.recordPlacing(since));
  }

  /// The script decides on the pass, so that an earlier success is replayed after the pass.
  private CompletionStage<HoldOutcome> place(
      IdempotentRequest call, PlaceHoldBody body, HttpHeaders headers) {
    var admitted =
        call.pool().policy().waitingRoom() == null
            ? call
            : call.with(
                passes.check(
                    headers.get(Passes.HEADER),
                    call.pool().name(),
                    call.caller(),
                    body.requester()));
    return body.best() == 0 ? holds.place(admitted, body) : best.place(admitted, body);
  }

  @Operation(operationId = "releaseHold", summary = "Release a hold", tags = "Holds")
  @Parameter(
      name = IdempotencyHttp.HEADER,
      in = ParameterIn.HEADER,
      required = true,
      schema = @Schema(implementation = String.class))
  @RequestBody(content = @Content(schema = @Schema(implementation = HoldApiSchemas.Release.class)))
  @ApiResponse(
      responseCode = "200",
      description = "The hold is RELEASED.",
      content = @Content(schema = @Schema(implementation = HoldApiSchemas.Hold.class)))
  @ApiResponse(responseCode = "409", description = "not-held")
  @ApiResponse(responseCode = "404", description = "not-known")
  @Post("/holds/{holdId}/release")
  @Secured("hold")
  CompletionStage<HttpResponse<?>> release(
      @Parameter(hidden = true) HttpRequest<?> http,
      String holdId,
      @Body byte[] body,
      Caller caller) {
    return calls.execute(
        Request.onHold(TokenAction.RELEASE, caller, holdId, http.getHeaders(), body),
        (call, fields) -> release(call, HoldId.parse(holdId).orElseThrow(), fields));
  }

  private CompletionStage<HoldOutcome> release(
      IdempotentRequest call, HoldId id, JsonFields fields) {
    return release.release(call, id, HoldApiSchemas.Release.read(fields).requester());
  }

  /// For operators, who may end the holds of all callers.
  @Operation(
      operationId = "expireHold",
      summary = "Expire a hold whose window has elapsed, or any hold by force",
      description = "For operators, who may expire the holds of all callers.",
      tags = "Holds")
  @Parameter(
      name = IdempotencyHttp.HEADER,
      in = ParameterIn.HEADER,
      required = true,
      schema = @Schema(implementation = String.class))
  @RequestBody(content = @Content(schema = @Schema(implementation = HoldApiSchemas.Expire.class)))
  @ApiResponse(
      responseCode = "200",
      description = "The hold is EXPIRED.",
      content = @Content(schema = @Schema(implementation = HoldApiSchemas.Hold.class)))
  @ApiResponse(responseCode = "409", description = "not-held, window-not-elapsed")
  @ApiResponse(responseCode = "404", description = "not-known")
  @Post("/holds/{holdId}/expire")
  @Secured("operate")
  CompletionStage<HttpResponse<?>> expire(
      @Parameter(hidden = true) HttpRequest<?> http,
      String holdId,
      @Body byte[] body,
      Caller caller) {
    return calls.execute(
        Request.onHold(TokenAction.EXPIRE, caller, holdId, http.getHeaders(), body),
        (call, fields) -> expire(call, HoldId.parse(holdId).orElseThrow(), fields));
  }

  private CompletionStage<HoldOutcome> expire(
      IdempotentRequest call, HoldId id, JsonFields fields) {
    var isForced = HoldApiSchemas.Expire.read(fields).isForced();
    return holds
        .expire(call, id, isForced)
        .thenCompose(outcome -> pinned.endIfPinned(outcome, call))
        .thenCompose(outcome -> absent.refuseAbsent(outcome, call, id, _ -> true));
  }

  /// Needs no token: the lease counts from now, however often it is asked for.
  @Operation(
      operationId = "sendHeartbeat",
      summary = "Extend the lease of a hold",
      description =
          "Needs no Idempotency-Key: the lease counts from now, however often the call is"
              + " repeated.",
      tags = "Holds")
  @RequestBody(
      content = @Content(schema = @Schema(implementation = HoldApiSchemas.Heartbeat.class)))
  @ApiResponse(
      responseCode = "200",
      description = "The lease is extended; the window is unchanged.",
      content = @Content(schema = @Schema(implementation = HoldApiSchemas.HeartbeatResult.class)))
  @ApiResponse(responseCode = "410", description = "window-elapsed")
  @ApiResponse(responseCode = "409", description = "not-held, stale-fence")
  @ApiResponse(responseCode = "404", description = "not-known")
  @Post("/holds/{holdId}/heartbeat")
  @Secured("hold")
  CompletionStage<HttpResponse<?>> heartbeat(
      String holdId, @Body byte[] body, @Parameter(hidden = true) Caller caller) {
    var asked = JsonBody.read(body);
    caller.refuseOtherRequester(asked);
    var beat = HoldApiSchemas.Heartbeat.read(JsonFields.of(asked));
    var id = HoldId.parse(holdId);
    if (id.isEmpty()) {
      return CompletableFuture.completedStage(HoldResponses.unknownHold());
    }
    return pools.with(
        id.get().pool().value(),
        pool ->
            holds
                .extend(pool, caller.name(), id.get(), beat.requester(), beat.fence())
                .thenCompose(outcome -> absent.refuseHeartbeat(outcome, id.get(), caller.name()))
                .thenApply(
                    outcome -> {
                      metrics.countOutcome(outcome);
                      return HoldResponses.of(pool, outcome);
                    }));
  }
}
