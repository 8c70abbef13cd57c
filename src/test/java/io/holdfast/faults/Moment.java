package io.holdfast.faults;

import java.util.Locale;

/// A point in the execution of a checkout.
public record Moment(Way way, String step, When when) {

  public enum Way {
    ACT,
    UNDO
  }

  /// The progress of a step or of its compensation.
  public enum When {
    /// Before the external call.
    BEFORE,
    /// The external call is done, and nothing is written.
    CALLED,
    /// Everything is written in an open transaction.
    WRITTEN,
    /// The transaction is committed, and nobody is notified.
    STORED
  }

  @Override
  public String toString() {
    return "%s %s, %s".formatted(way, step, when).toLowerCase(Locale.ROOT);
  }
}
