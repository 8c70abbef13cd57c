package io.holdfast.reservation;

import io.micronaut.http.HttpStatus;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Why a call on a reservation was refused.
enum ReservationReason {
  TYPE_REQUIRED(HttpStatus.BAD_REQUEST),
  INVALID_TYPE(HttpStatus.BAD_REQUEST),
  TYPE_TOO_LONG(HttpStatus.BAD_REQUEST),
  VALUE_REQUIRED(HttpStatus.BAD_REQUEST),
  INVALID_VALUE(HttpStatus.BAD_REQUEST),
  VALUE_TOO_LONG(HttpStatus.BAD_REQUEST),
  INVALID_TTL(HttpStatus.BAD_REQUEST),
  TTL_TOO_LONG(HttpStatus.BAD_REQUEST),
  CORRELATION_ID_TOO_LONG(HttpStatus.BAD_REQUEST),
  ENTITY_ID_REQUIRED(HttpStatus.BAD_REQUEST),
  ENTITY_ID_TOO_LONG(HttpStatus.BAD_REQUEST),
  ALREADY_RESERVED(HttpStatus.CONFLICT),
  RESERVATION_NOT_FOUND(HttpStatus.NOT_FOUND),
  RESERVATION_NOT_CONFIRMED(HttpStatus.CONFLICT),
  RESERVATION_ALREADY_CONFIRMED(HttpStatus.CONFLICT),
  RESERVATION_ALREADY_RELEASED(HttpStatus.CONFLICT),
  RESERVATION_ALREADY_EXPIRED(HttpStatus.GONE);

  private final HttpStatus status;

  ReservationReason(HttpStatus status) {
    this.status = status;
  }

  HttpStatus status() {
    return status;
  }

  /// The code of the problem: `already-reserved`.
  String code() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /// Null if there is no such reason.
  static @Nullable ReservationReason find(@Nullable String name) {
    for (var reason : values()) {
      if (reason.name().equals(name)) {
        return reason;
      }
    }
    return null;
  }
}
