package io.holdfast.reservation;

/// A field of a request that is refused for one of the reasons. It has no stack trace, because
/// refusing a request has to cost less than serving it.
final class InvalidReservation extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final ReservationReason reason;

  InvalidReservation(ReservationReason reason, String sentence) {
    super(sentence, null, false, false);
    this.reason = reason;
  }

  ReservationReason reason() {
    return reason;
  }

  String sentence() {
    return getMessage();
  }
}
