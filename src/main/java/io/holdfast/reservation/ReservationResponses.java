package io.holdfast.reservation;

import static io.holdfast.reservation.ReservationReason.ALREADY_RESERVED;
import static io.holdfast.reservation.ReservationReason.RESERVATION_ALREADY_CONFIRMED;
import static io.holdfast.reservation.ReservationReason.RESERVATION_ALREADY_EXPIRED;
import static io.holdfast.reservation.ReservationReason.RESERVATION_ALREADY_RELEASED;
import static io.holdfast.reservation.ReservationReason.RESERVATION_NOT_FOUND;

import io.holdfast.hold.HoldOutcome;
import io.holdfast.hold.HoldOutcome.Decided;
import io.holdfast.hold.HoldResponses;
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

/// Maps outcomes to responses about reservations. A response depends only on the outcome and the
/// request, so a replay has the bytes of the first response.
final class ReservationResponses {
  private ReservationResponses() {}

  /// @param value as the request has it, or as it is stored
  /// @param entityId of a confirm
  /// @param met the final state that a refused call met
  static MutableHttpResponse<?> of(
      Pool pool,
      HoldOutcome outcome,
      @Nullable String value,
      @Nullable String entityId,
      Optional<HoldState> met) {
    if (!(outcome instanceof Decided(var stored, var isReplay))) {
      return HoldResponses.of(pool, outcome);
    }
    var response =
        switch (stored) {
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
          case Invalid(var field, var sentence) -> invalid(pool, stored, field, sentence);
          case Reason.NOT_KNOWN -> notFound();
          case Reason.ELAPSED -> ended(HoldState.EXPIRED);
          case Reason.NOT_HELD ->
              met.<MutableHttpResponse<?>>map(ReservationResponses::ended)
                  .orElseGet(() -> HoldResponses.of(pool, new Decided(stored)));
          default -> HoldResponses.of(pool, new Decided(stored));
        };
    return isReplay ? response.header(IdempotencyHttp.REPLAYED, "true") : response;
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

  private static MutableHttpResponse<?> invalid(
      Pool pool, StoredOutcome stored, @Nullable String field, String sentence) {
    var reason = ReservationReason.find(field);
    return reason == null
        ? HoldResponses.of(pool, new Decided(stored))
        : ReservationProblem.response(reason, sentence);
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
