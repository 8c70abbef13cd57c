package io.holdfast.idempotency;

/// What a check says while the store gives no answer.
public enum FailureMode {
  /// Seen: nothing is done twice, and some things are not done at all.
  CLOSED(GuardResult.SEEN),
  /// Not seen: nothing is held up, and some things are done twice.
  OPEN(GuardResult.NOT_SEEN);

  private final GuardResult sighting;

  FailureMode(GuardResult sighting) {
    this.sighting = sighting;
  }

  GuardResult sighting() {
    return sighting;
  }
}
