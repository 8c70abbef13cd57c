package io.holdfast.idempotency.guard;

/// The result of a check while the store is unavailable.
public enum FailureMode {
  /// Seen: nothing is done twice, and some things are not done at all.
  CLOSED(GuardResult.SEEN),
  /// Not seen: nothing is held up, and some things are done twice.
  OPEN(GuardResult.NOT_SEEN);

  private final GuardResult result;

  FailureMode(GuardResult result) {
    this.result = result;
  }

  GuardResult result() {
    return result;
  }
}
