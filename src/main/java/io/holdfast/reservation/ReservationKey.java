package io.holdfast.reservation;

import static io.holdfast.reservation.ReservationReason.INVALID_TYPE;
import static io.holdfast.reservation.ReservationReason.INVALID_VALUE;
import static io.holdfast.reservation.ReservationReason.TYPE_REQUIRED;
import static io.holdfast.reservation.ReservationReason.TYPE_TOO_LONG;
import static io.holdfast.reservation.ReservationReason.VALUE_REQUIRED;
import static io.holdfast.reservation.ReservationReason.VALUE_TOO_LONG;

import io.holdfast.pool.PoolName;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// What a reservation is for: `email:alice@example.com`. The type is everything before the first
/// colon; a value may have colons.
record ReservationKey(String type, String value) {
  private static final int TYPE_MAX = 64;
  private static final int VALUE_BYTES_MAX = 512;

  /// @throws InvalidReservation naming what is wrong
  static ReservationKey of(@Nullable Object type, @Nullable Object value) {
    return new ReservationKey(type(type), value(value));
  }

  /// @throws InvalidReservation naming what is wrong
  static ReservationKey parse(String key) {
    var colon = key.indexOf(':');
    return colon < 0 ? of(key, null) : of(key.substring(0, colon), key.substring(colon + 1));
  }

  @Override
  public String toString() {
    return type + ":" + value;
  }

  private static String type(@Nullable Object given) {
    if (given == null || given instanceof String text && text.isBlank()) {
      throw new InvalidReservation(TYPE_REQUIRED, "A type is required, such as email.");
    }
    if (given instanceof String text && text.length() > TYPE_MAX) {
      throw new InvalidReservation(
          TYPE_TOO_LONG, "A type has at most %d characters.".formatted(TYPE_MAX));
    }
    if (given instanceof String text && PoolName.isName(text)) {
      return text;
    }
    throw new InvalidReservation(
        INVALID_TYPE, "A type consists of A-Z a-z 0-9 . _ - and has no colon.");
  }

  private static String value(@Nullable Object given) {
    if (given == null || given instanceof String text && text.isBlank()) {
      throw new InvalidReservation(VALUE_REQUIRED, "A value is required.");
    }
    if (!(given instanceof String text) || text.chars().anyMatch(Character::isISOControl)) {
      throw new InvalidReservation(INVALID_VALUE, "A value is a text without control characters.");
    }
    if (text.getBytes(StandardCharsets.UTF_8).length > VALUE_BYTES_MAX) {
      throw new InvalidReservation(
          VALUE_TOO_LONG, "A value has at most %d bytes of UTF-8.".formatted(VALUE_BYTES_MAX));
    }
    return text;
  }
}
