package io.holdfast.faults;

import java.util.Locale;

/// A moment in the life of a checkout.
public record Moment(Way way, String step, When when) {

  public enum Way {
    ACT,
    UNDO
  }

  /// Where a step, or what undoes it, has come to.
  public enum When {
    /// Nobody was called yet.
    BEFORE,
    /// Whoever is called outside has done it, and nothing of ours is written.
    CALLED,
    /// All is written in a transaction that is not committed.
    WRITTEN,
    /// It is committed, and nobody was told.
    STORED
  }

  @Override
  public String toString() {
    return "%s %s, %s".formatted(way, step, when).toLowerCase(Locale.ROOT);
  }
}
