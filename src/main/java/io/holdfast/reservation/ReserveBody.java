package io.holdfast.reservation;

import static io.holdfast.reservation.ReservationReason.CORRELATION_ID_TOO_LONG;
import static io.holdfast.reservation.ReservationReason.INVALID_TTL;
import static io.holdfast.reservation.ReservationReason.TTL_TOO_LONG;

import io.holdfast.web.InvalidField;
import io.holdfast.web.JsonFields;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// The body of a request to reserve a value. It is read by hand: each refusal has a reason of its
/// own.
@Schema(name = "Reserve")
record ReserveBody(
    @Schema(description = "The namespace of the value: email, username.") String type,
    @Schema(description = "The value to reserve: 1 to 512 bytes of UTF-8.") String value,
    @Schema(description = "How long it is reserved: 1,000 to 86,400,000 ms.") long ttlMs,
    @Schema(description = "Stored with the reservation and returned.")
        @Nullable String correlationId) {
  private static final long TTL_MIN = Duration.ofSeconds(1).toMillis();
  private static final long TTL_MAX = Duration.ofDays(1).toMillis();
  private static final int CORRELATION_MAX = 128;

  /// @param longest what the pool allows
  /// @throws InvalidReservation or `InvalidField` naming what is wrong
  static ReserveBody read(JsonFields fields, Duration longest) {
    var key = ReservationKey.of(fields.optionalAny("type"), fields.optionalAny("value"));
    var ttl = ttl(fields, Math.min(TTL_MAX, longest.toMillis()));
    var correlationId = correlation(fields.optionalAny("correlationId"));
    fields.refuseOthers();
    return new ReserveBody(key.type(), key.value(), ttl, correlationId);
  }

  Duration ttl() {
    return Duration.ofMillis(ttlMs);
  }

  private static long ttl(JsonFields fields, long most) {
    var ttl = wholeTtl(fields);
    if (ttl > most) {
      throw new InvalidReservation(TTL_TOO_LONG, "ttlMs is at most %d here.".formatted(most));
    }
    return ttl;
  }

  private static long wholeTtl(JsonFields fields) {
    try {
      var ttl = fields.optionalWhole("ttlMs", TTL_MIN, Long.MAX_VALUE);
      if (ttl != null) {
        return ttl;
      }
    } catch (InvalidField e) {
      // refused below like a missing one
    }
    throw new InvalidReservation(
        INVALID_TTL, "ttlMs is a whole number of milliseconds, at least %d.".formatted(TTL_MIN));
  }

  private static @Nullable String correlation(@Nullable Object given) {
    if (given == null) {
      return null;
    }
    if (!(given instanceof String text) || text.isEmpty()) {
      throw InvalidField.of("correlationId", "has to be a text");
    }
    if (text.length() > CORRELATION_MAX) {
      throw new InvalidReservation(
          CORRELATION_ID_TOO_LONG,
          "correlationId has at most %d characters.".formatted(CORRELATION_MAX));
    }
    return text;
  }
}
