package io.holdfast.checkout.saga;

/// Which way a run goes, or how it has ended.
public enum RunPhase {
  FORWARD,
  COMPENSATING,
  DONE,
  COMPENSATED,
  /// Something could not be undone; an operator has to look at it and to resume it.
  STUCK;

  public boolean isEnd() {
    return switch (this) {
      case FORWARD, COMPENSATING -> false;
      case DONE, COMPENSATED, STUCK -> true;
    };
  }
}
