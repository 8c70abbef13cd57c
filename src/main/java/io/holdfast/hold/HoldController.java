package io.holdfast.hold;

import io.holdfast.access.Caller;
import io.holdfast.catalogue.PoolRegistry;
import io.holdfast.hold.pin.PinnedHoldEnding;
import io.holdfast.hold.seatsearch.BestSeats;
import io.holdfast.idempotency.http.IdempotencyHttp;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.TokenAction;
import io.holdfast.web.JsonBody;
import io.holdfast.web.JsonFields;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/// The changes of holds over HTTP: what each route reads, and which step of the desk it asks for.
@Controller("/v1")
@OpenApiInfo.MayRefuse
@SecurityRequirement(name = OpenApiInfo.KEY)
final class HoldController {
  private final HoldService desk;
  private final BestSeats best;
  private final PinnedHoldEnding pinned;
  private final AbsentHoldLookup ended;
  private final IdempotentCall tokens;
  private final PoolRegistry pools;
  private final HoldMetrics metrics;

  HoldController(
      HoldService desk,
      BestSeats best,
      PinnedHoldEnding pinned,
      AbsentHoldLookup ended,
      IdempotentCall tokens,
      PoolRegistry pools,
      HoldMetrics metrics) {
    this.desk = desk;
    this.best = best;
    this.pinned = pinned;
    this.ended = ended;
    this.tokens = tokens;
    this.pools = pools;
    this.metrics = metrics;
  }

  @Operation(
      operationId = "placeHold",
      summary = "Hold items, all or none, or the best adjacent seats",
      tags = "Holds")
  @Parameter(
      name = IdempotencyHttp.HEADER,
      in = ParameterIn.HEADER,
      required = true,
      schema = @Schema(implementation = String.class))
  @RequestBody(content = @Content(schema = @Schema(implementation = PlaceHoldBody.class)))
  @ApiResponse(
      responseCode = "201",
      description = "The items are held for the requester.",
      content = @Content(schema = @Schema(implementation = HoldApiSchemas.Hold.class)))
  @ApiResponse(
      responseCode = "200",
      description = "The requester already held exactly these items.",
      content = @Content(schema = @Schema(implementation = HoldApiSchemas.Hold.class)))
  @ApiResponse(
      responseCode = "409",
      description = "resource-unavailable: `items` lists those that are taken.")
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
    var request =
        new IdempotentCall.Request(
            TokenAction.PLACE_HOLD, caller, pool, pool, http.getHeaders(), body);
    return tokens
        .spend(
            request,
            (call, fields) -> place(call, PlaceHoldBody.read(fields, call.pool().policy())))
        .whenComplete((_, _) -> metrics.placed(since));
  }

  private CompletionStage<TokenOutcome> place(IdempotentRequest call, PlaceHoldBody wish) {
    return wish.best() == 0 ? desk.place(call, wish) : best.place(call, wish);
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
    var name = caller.name();
    return end(
        TokenAction.RELEASE,
        http,
        holdId,
        body,
        caller,
        (id, call, fields) -> {
          var requester = HoldApiSchemas.Release.read(fields).requester();
          return desk.release(call, id, requester)
              .thenCompose(decision -> pinned.decide(decision, call, TokenAction.RELEASE))
              .thenCompose(
                  decision ->
                      ended.refuseAbsent(
                          decision,
                          call,
                          TokenAction.RELEASE,
                          id,
                          hold -> hold.caller().equals(name)));
        });
  }

  /// For operators, whose business every hold is.
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
    return end(
        TokenAction.EXPIRE,
        http,
        holdId,
        body,
        caller,
        (id, call, fields) -> {
          var isForced = HoldApiSchemas.Expire.read(fields).isForced();
          return desk.expire(call, id, isForced)
              .thenCompose(decision -> pinned.decide(decision, call, TokenAction.EXPIRE))
              .thenCompose(
                  decision ->
                      ended.refuseAbsent(decision, call, TokenAction.EXPIRE, id, _ -> true));
        });
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
            desk.extend(pool, caller.name(), id.get(), beat.requester(), beat.fence())
                .thenCompose(decision -> ended.refuseHeartbeat(decision, id.get(), caller.name()))
                .thenApply(
                    decision -> {
                      metrics.counted(decision.outcome());
                      return HoldResponses.of(pool, decision);
                    }));
  }

  private interface EndStep {
    CompletionStage<TokenOutcome> decide(HoldId id, IdempotentRequest call, JsonFields fields);
  }

  /// An id that is none at all belongs to no pool, so there is nowhere to keep the answer.
  private CompletionStage<HttpResponse<?>> end(
      TokenAction action,
      @Parameter(hidden = true) HttpRequest<?> http,
      String holdId,
      byte[] body,
      Caller caller,
      EndStep step) {
    var id = HoldId.parse(holdId);
    var pool = id.map(known -> known.pool().value()).orElse("");
    var request = new IdempotentCall.Request(action, caller, pool, holdId, http.getHeaders(), body);
    return tokens.spend(request, (call, fields) -> step.decide(id.orElseThrow(), call, fields));
  }
}
