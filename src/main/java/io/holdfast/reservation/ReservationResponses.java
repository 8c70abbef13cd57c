package io.holdfast.reservation;

import static io.holdfast.reservation.ReservationReason.ALREADY_RESERVED;
import static io.holdfast.reservation.ReservationReason.RESERVATION_ALREADY_CONFIRMED;
import static io.holdfast.reservation.ReservationReason.RESERVATION_ALREADY_EXPIRED;
import static io.holdfast.reservation.ReservationReason.RESERVATION_ALREADY_RELEASED;
import static io.holdfast.reservation.ReservationReason.RESERVATION_NOT_FOUND;

import io.holdfast.hold.HoldOutcome;
import io.holdfast.hold.HoldOutcome.Decided;
import io.holdfast.hold.HoldResponses;
import io.holdfast.hold.IdempotentRequest;
import io.holdfast.idempotency.EntryVersion;
import io.holdfast.idempotency.http.IdempotencyHttp;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.HoldState;
import io.holdfast.pool.Pool;
import io.holdfast.pool.StoredOutcome;
import io.holdfast.pool.StoredOutcome.Confirmed;
import io.holdfast.pool.StoredOutcome.Held;
import io.holdfast.pool.StoredOutcome.Invalid;
import io.holdfast.pool.StoredOutcome.Reason;
import io.holdfast.pool.StoredOutcome.Released;
import io.holdfast.pool.StoredOutcome.Same;
import io.holdfast.pool.StoredOutcome.Taken;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MutableHttpResponse;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Maps outcomes to responses about reservations. A response depends only on the outcome, the
/// request and the version of its entry, so a replay has the bytes of the first response. A change
/// of the bytes needs a new `EntryVersion`.
final class ReservationResponses {
  private ReservationResponses() {}

  /// @param value as the request has it, or as it is stored
  /// @param entityId of a confirm
  /// @param met the final state that a refused call met
  static MutableHttpResponse<?> of(
      IdempotentRequest call,
      HoldOutcome outcome,
      @Nullable String value,
      @Nullable String entityId,
      Optional<HoldState> met) {
    if (!(outcome instanceof Decided(var stored, var isReplay))) {
      return HoldResponses.of(call, outcome);
    }
    var response = of(call.pool(), call.version(), stored, value, entityId, met);
    return isReplay ? response.header(IdempotencyHttp.REPLAYED, "true") : response;
  }

  /// The answer to the call whose outcome was stored in an entry of that version.
  static MutableHttpResponse<?> of(
      Pool pool,
      EntryVersion version,
      StoredOutcome stored,
      @Nullable String value,
      @Nullable String entityId,
      Optional<HoldState> met) {
    var response = rendered(pool, version, stored, value, entityId, met);
    return response.body() instanceof ReservationProblem problem
        ? response.body(problem.under(HoldResponses.problemTypes(version)))
        : response;
  }

  private static MutableHttpResponse<?> rendered(
      Pool pool,
      EntryVersion version,
      StoredOutcome stored,
      @Nullable String value,
      @Nullable String entityId,
      Optional<HoldState> met) {
    return switch (stored) {
      case Held(var hold) -> reserved(pool, hold, value);
      case Confirmed(var hold) -> changed(pool, hold, entityId);
      case Released(var hold) -> changed(pool, hold, null);
      case Same(var hold) ->
          ReservationProblem.response(
              ALREADY_RESERVED,
              "You have reserved this value already; use that reservation.",
              hold.id(pool.name()).toString());
      case Taken _ ->
          ReservationProblem.response(
              ALREADY_RESERVED, "Somebody has this value; choose another one.");
      case Invalid invalid -> invalid(pool, version, invalid);
      case Reason.NOT_KNOWN -> notFound();
      case Reason.ELAPSED -> ended(HoldState.EXPIRED);
      case Reason.CLOSING ->
          ReservationProblem.response(
              RESERVATION_ALREADY_EXPIRED,
              "Less of the reservation's window is left than the clock margin that a confirm needs"
                  + " (max-clock-skew), so it is not confirmed any more. It lives until expiresAt;"
                  + " release it and reserve the value again.");
      case Reason.NOT_HELD ->
          met.<MutableHttpResponse<?>>map(ReservationResponses::ended)
              .orElseGet(() -> HoldResponses.of(pool, version, stored));
      default -> HoldResponses.of(pool, version, stored);
    };
  }

  static MutableHttpResponse<?> notFound() {
    return ReservationProblem.response(RESERVATION_NOT_FOUND, "There is no such reservation.");
  }

  private static MutableHttpResponse<?> reserved(
      Pool pool, HoldRecord hold, @Nullable String value) {
    var shown = value == null ? hold.items().getFirst().value() : value;
    var body = ReservationJson.of(pool.name(), hold, shown, null, false);
    return HttpResponse.status(HttpStatus.CREATED)
        .body(body)
        .header("Location", "/v1/reservations/" + body.reservationId());
  }

  private static MutableHttpResponse<?> changed(
      Pool pool, HoldRecord hold, @Nullable String entityId) {
    var value = hold.items().getFirst().value();
    return HttpResponse.ok(ReservationJson.of(pool.name(), hold, value, entityId, false));
  }

  private static MutableHttpResponse<?> invalid(Pool pool, EntryVersion version, Invalid invalid) {
    var reason = ReservationReason.find(invalid.field());
    return reason == null
        ? HoldResponses.of(pool, version, invalid)
        : ReservationProblem.response(reason, invalid.sentence());
  }

  private static MutableHttpResponse<?> ended(HoldState state) {
    return switch (state) {
      case CONFIRMED ->
          ReservationProblem.response(
              RESERVATION_ALREADY_CONFIRMED,
              "The reservation is confirmed; its value belongs to an entity.");
      case RELEASED ->
          ReservationProblem.response(
              RESERVATION_ALREADY_RELEASED,
              "The reservation was released; reserve the value again if it is free.");
      case EXPIRED, HELD ->
          ReservationProblem.response(
              RESERVATION_ALREADY_EXPIRED,
              "The time of the reservation ran out; reserve the value again if it is free.");
    };
  }
}
