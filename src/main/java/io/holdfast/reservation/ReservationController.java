package io.holdfast.reservation;

import static io.holdfast.reservation.ReservationReason.ENTITY_ID_REQUIRED;
import static io.holdfast.reservation.ReservationReason.ENTITY_ID_TOO_LONG;

import io.holdfast.access.Caller;
import io.holdfast.catalogue.PoolRegistry;
import io.holdfast.catalogue.UniquePools;
import io.holdfast.hold.HoldOutcome;
import io.holdfast.hold.HoldService;
import io.holdfast.hold.IdempotentCall;
import io.holdfast.hold.IdempotentCall.Request;
import io.holdfast.hold.IdempotentRequest;
import io.holdfast.idempotency.http.IdempotencyHttp;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.PoolKind;
import io.holdfast.pool.PoolName;
import io.holdfast.pool.StoredOutcome.Invalid;
import io.holdfast.pool.StoredOutcome.Reason;
import io.holdfast.pool.TokenAction;
import io.holdfast.web.JsonBody;
import io.holdfast.web.JsonFields;
import io.holdfast.web.OpenApiInfo;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Post;
import io.micronaut.scheduling.TaskExecutors;
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
import jakarta.inject.Named;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Reserves unique values.
@Controller("/v1/reservations")
@OpenApiInfo.MayRefuse
@SecurityRequirement(name = OpenApiInfo.KEY)
final class ReservationController {
  private static final int ENTITY_BYTES_MAX = 128;

  private final ReservationService reservations;
  private final IdempotentCall calls;
  private final IdempotencyHttp idempotency;
  private final HoldService holds;
  private final PoolRegistry pools;
  private final UniquePools types;
  private final ExecutorService executor;

  ReservationController(
      ReservationService reservations,
      IdempotentCall calls,
      IdempotencyHttp idempotency,
      HoldService holds,
      PoolRegistry pools,
      UniquePools types,
      @Named(TaskExecutors.BLOCKING) ExecutorService executor) {
    this.reservations = reservations;
    this.calls = calls;
    this.idempotency = idempotency;
    this.holds = holds;
    this.pools = pools;
    this.types = types;
    this.executor = executor;
  }

  @Operation(
      operationId = "reserveValue",
      summary = "Reserve a unique value for a while",
      tags = "Reservations")
  @Parameter(
      name = IdempotencyHttp.HEADER,
      in = ParameterIn.HEADER,
      required = true,
      schema = @Schema(implementation = String.class))
  @RequestBody(content = @Content(schema = @Schema(implementation = ReserveBody.class)))
  @ApiResponse(
      responseCode = "201",
      description = "The value is reserved.",
      headers = @Header(name = "Location", ref = "#/components/headers/Location"),
      content = @Content(schema = @Schema(implementation = ReservationJson.class)))
  @ApiResponse(responseCode = "409", description = "already-reserved, sales-closed")
  @ApiResponse(
      responseCode = "400",
      description =
          "invalid-ttl, ttl-too-long, type-required, invalid-type, type-too-long, value-required,"
              + " invalid-value, value-too-long")
  @Post
  @Secured("hold")
  CompletionStage<HttpResponse<?>> reserve(
      @Parameter(hidden = true) HttpRequest<?> http,
      @Body byte[] bytes,
      @Parameter(hidden = true) Caller caller) {
    idempotency.token(http.getHeaders()); // without one the call is refused first
    var body = JsonBody.read(bytes);
    ReservationKey key;
    try {
      key = ReservationKey.of(body.get("type"), body.get("value"));
    } catch (InvalidReservation e) { // there is no pool to store it in
      return CompletableFuture.completedStage(
          ReservationProblem.response(e.reason(), e.sentence()));
    }
    var request =
        new Request(
            TokenAction.PLACE_HOLD, caller, key.type(), key.type(), http.getHeaders(), bytes);
    return ensurePool(new PoolName(key.type()), caller)
        .thenCompose(
            _ ->
                calls.execute(
                    request,
                    (call, fields) ->
                        orRefuse(call, () -> reserve(call, caller.asRequester(), fields)),
                    (call, outcome) ->
                        CompletableFuture.completedStage(
                            ReservationResponses.of(
                                call, outcome, key.value(), null, Optional.empty()))));
  }

  /// A known type costs nothing.
  private CompletionStage<?> ensurePool(PoolName type, Caller caller) {
    return pools.isKnown(type)
        ? CompletableFuture.completedStage(null)
        : CompletableFuture.supplyAsync(() -> types.findOrCreate(type, caller), executor);
  }

  private CompletionStage<HoldOutcome> reserve(
      IdempotentRequest call, String requester, JsonFields fields) {
    if (call.pool().kind() != PoolKind.UNIQUE) {
      throw new InvalidReservation(
          ReservationReason.INVALID_TYPE,
          "A pool of another kind has this name; choose another type.");
    }
    var body = ReserveBody.read(fields, call.pool().policy().window());
    return reservations.reserve(call, requester, body);
  }

  @Operation(
      operationId = "confirmReservation",
      summary = "Link a reserved value to the entity that was created, for good",
      tags = "Reservations")
  @Parameter(
      name = IdempotencyHttp.HEADER,
      in = ParameterIn.HEADER,
      required = true,
      schema = @Schema(implementation = String.class))
  @RequestBody(content = @Content(schema = @Schema(implementation = ConfirmReservation.class)))
  @ApiResponse(
      responseCode = "200",
      description = "The value belongs to the entity.",
      content = @Content(schema = @Schema(implementation = ReservationJson.class)))
  @ApiResponse(
      responseCode = "409",
      description = "reservation-already-confirmed, reservation-already-released")
  @ApiResponse(
      responseCode = "410",
      description =
          "reservation-already-expired: the time is over, or within the clock margin"
              + " (`HOLDFAST_MAX_CLOCK_SKEW`, 500 ms) before the end of the pool's window")
  @ApiResponse(responseCode = "404", description = "reservation-not-found")
  @ApiResponse(responseCode = "400", description = "entity-id-required")
  @Post("/{id}/confirm")
  @Secured("commit")
  CompletionStage<HttpResponse<?>> confirm(
      @Parameter(hidden = true) HttpRequest<?> http,
      String id,
      @Body byte[] bytes,
      @Parameter(hidden = true) Caller caller) {
    idempotency.token(http.getHeaders()); // without one the call is refused first
    var hold = HoldId.parse(id);
    if (hold.isEmpty()) {
      return CompletableFuture.completedStage(ReservationResponses.notFound());
    }
    var given = JsonBody.read(bytes).get("entityId");
    var entityId = given instanceof String text ? text : null;
    return calls.execute(
        Request.onHold(TokenAction.CONFIRM, caller, id, http.getHeaders(), bytes),
        (call, fields) ->
            onReservation(
                call,
                () ->
                    reservations.confirm(
                        call, hold.get(), caller.asRequester(), entity(entityId, fields))),
        (call, outcome) -> respond(call, hold.get(), outcome, entityId));
  }

  private static String entity(@Nullable String entityId, JsonFields fields) {
    if (entityId == null || entityId.isBlank()) {
      throw new InvalidReservation(ENTITY_ID_REQUIRED, "An entityId is required.");
    }
    if (entityId.getBytes(StandardCharsets.UTF_8).length > ENTITY_BYTES_MAX) {
      throw new InvalidReservation(
          ENTITY_ID_TOO_LONG,
          "An entityId has at most %d bytes of UTF-8.".formatted(ENTITY_BYTES_MAX));
    }
    var checked = fields.text("entityId");
    fields.refuseOthers();
    return checked;
  }

  @Operation(
      operationId = "releaseReservation",
      summary = "Release a reserved value before its time is over",
      tags = "Reservations")
  @Parameter(
      name = IdempotencyHttp.HEADER,
      in = ParameterIn.HEADER,
      required = true,
      schema = @Schema(implementation = String.class))
  @RequestBody(content = @Content(schema = @Schema(implementation = Object.class)))
  @ApiResponse(
      responseCode = "200",
      description = "The value is free.",
      content = @Content(schema = @Schema(implementation = ReservationJson.class)))
  @ApiResponse(
      responseCode = "409",
      description = "reservation-already-confirmed, reservation-already-released")
  @ApiResponse(responseCode = "410", description = "reservation-already-expired")
  @ApiResponse(responseCode = "404", description = "reservation-not-found")
  @Post("/{id}/release")
  @Secured("hold")
  CompletionStage<HttpResponse<?>> release(
      @Parameter(hidden = true) HttpRequest<?> http,
      String id,
      @Body byte[] bytes,
      @Parameter(hidden = true) Caller caller) {
    idempotency.token(http.getHeaders()); // without one the call is refused first
    var hold = HoldId.parse(id);
    if (hold.isEmpty()) {
      return CompletableFuture.completedStage(ReservationResponses.notFound());
    }
    return calls.execute(
        Request.onHold(TokenAction.RELEASE, caller, id, http.getHeaders(), bytes),
        (call, fields) ->
            onReservation(
                call,
                () -> {
                  fields.refuseOthers();
                  return reservations.release(call, hold.get(), caller.asRequester());
                }),
        (call, outcome) -> respond(call, hold.get(), outcome, null));
  }

  private CompletionStage<MutableHttpResponse<?>> respond(
      IdempotentRequest call, HoldId id, HoldOutcome outcome, @Nullable String entityId) {
    return reservations
        .metState(call, id, outcome)
        .thenApply(met -> ReservationResponses.of(call, outcome, null, entityId, met));
  }

  /// A hold in a pool of another kind is not a reservation.
  private CompletionStage<HoldOutcome> onReservation(
      IdempotentRequest call, Supplier<CompletionStage<HoldOutcome>> step) {
    return call.pool().kind() == PoolKind.UNIQUE
        ? orRefuse(call, step)
        : holds.refuse(call, Reason.NOT_KNOWN);
  }

  /// Stores a refusal under the token.
  private CompletionStage<HoldOutcome> orRefuse(
      IdempotentRequest call, Supplier<CompletionStage<HoldOutcome>> step) {
    try {
      return step.get();
    } catch (InvalidReservation e) {
      return holds.refuse(call, new Invalid(e.reason().name(), e.sentence()));
    }
  }

  /// The body of a confirm, for the description of the API.
  @Schema(name = "ConfirmReservation")
  record ConfirmReservation(
      @Schema(description = "The entity that owns the value from now on.") String entityId) {}
}
