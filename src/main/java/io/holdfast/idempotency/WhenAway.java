package io.holdfast.idempotency;

/// What a check says while the store gives no answer.
public enum WhenAway {
  /// Seen: nothing is done twice, and some things are not done at all.
  CLOSED(Sighting.SEEN),
  /// Not seen: nothing is held up, and some things are done twice.
  OPEN(Sighting.NOT_SEEN);

  private final Sighting sighting;

  WhenAway(Sighting sighting) {
    this.sighting = sighting;
  }

  Sighting sighting() {
    return sighting;
  }
}
