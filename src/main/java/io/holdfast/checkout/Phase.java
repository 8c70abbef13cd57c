package io.holdfast.checkout;

/// Which way a run goes, or how it has ended.
enum Phase {
  FORWARD,
  COMPENSATING,
  DONE,
  COMPENSATED,
  /// Something could not be undone; an operator has to look at it and to resume it.
  STUCK;

  boolean isEnd() {
    return switch (this) {
      case FORWARD, COMPENSATING -> false;
      case DONE, COMPENSATED, STUCK -> true;
    };
  }
}
