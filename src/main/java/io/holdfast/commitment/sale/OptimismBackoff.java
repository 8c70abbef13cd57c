package io.holdfast.commitment.sale;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/// Exponential back-off of the optimistic path. After each failure twice as many transactions as
/// after the last one go the careful path; a success resets it. A burst of repeated requests then
/// costs little more than the careful path alone.
///
/// The optimistic path is also off while Postgres has not answered for `SILENCE_MAX`: if Postgres
/// is gone, a read without a response is a definite no, while a write without a response is
/// unknown.
final class OptimismBackoff {
  static final Duration SILENCE_MAX = Duration.ofMillis(100);
  private static final int DOUBLINGS_MAX = 6;

  private final Duration silenceMax;
  private final AtomicInteger failures = new AtomicInteger();
  private final AtomicInteger pause = new AtomicInteger();
  private volatile long answeredAt;

  /// @param silenceMax how long after a response Postgres counts as reachable
  OptimismBackoff(Duration silenceMax) {
    this.silenceMax = silenceMax;
    this.answeredAt = System.nanoTime() - SILENCE_MAX.toNanos();
  }

  boolean allowsOptimism() {
    return System.nanoTime() - answeredAt < silenceMax.toNanos()
        && pause.getAndUpdate(left -> Math.max(0, left - 1)) == 0;
  }

  void answered() {
    answeredAt = System.nanoTime();
  }

  void succeeded() {
    failures.set(0);
  }

  void failed() {
    var times = failures.updateAndGet(n -> Math.min(n + 1, DOUBLINGS_MAX));
    pause.set((1 << times) - 1);
  }
}
