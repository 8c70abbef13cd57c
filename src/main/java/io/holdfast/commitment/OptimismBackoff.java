package io.holdfast.commitment;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/// Whether it pays to assume. Each time that an assumption was wrong, twice as many transactions as
/// the last time look before they write, so that a crowd of callers who repeat themselves costs
/// little more than looking; one that holds restores all trust.
///
/// And nobody assumes anything of a Postgres that has not answered for a while: if it is gone, a
/// look that gets no answer is a no for sure, while nobody can tell what became of a writing.
final class OptimismBackoff {
  static final Duration WHILE = Duration.ofMillis(100);

  private static final int DOUBLINGS_MAX = 6;

  private final Duration lasts;
  private final AtomicInteger disappointments = new AtomicInteger();
  private final AtomicInteger pause = new AtomicInteger();
  private volatile long answeredAt;

  /// @param lasts how long after an answer the next one is taken for granted
  OptimismBackoff(Duration lasts) {
    this.lasts = lasts;
    this.answeredAt = System.nanoTime() - WHILE.toNanos();
  }

  boolean isGiven() {
    return System.nanoTime() - answeredAt < lasts.toNanos()
        && pause.getAndUpdate(left -> Math.max(0, left - 1)) == 0;
  }

  void answered() {
    answeredAt = System.nanoTime();
  }

  void kept() {
    disappointments.set(0);
  }

  void broken() {
    var times = disappointments.updateAndGet(n -> Math.min(n + 1, DOUBLINGS_MAX));
    pause.set((1 << times) - 1);
  }
}
