package io.holdfast.runtime;

import java.time.Duration;

/// A call was not carried out because too many wait before it. It never left this process.
public final class Overloaded extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Duration retryAfter;

  /// @param retryAfter how long the queue takes to drain
  public Overloaded(Duration retryAfter) {
    super("too many calls wait", null, false, false);
    this.retryAfter = retryAfter;
  }

  public Duration retryAfter() {
    return retryAfter;
  }
}
