package io.holdfast.bench;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/// Waits for a condition and fails after a time limit.
final class Waiting {
  private static final Duration PAUSE = Duration.ofMillis(50);

  private Waiting() {}

  /// Returns how long it took.
  static Duration until(Duration patience, String what, BooleanSupplier condition) {
    var start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - start > patience.toNanos()) {
        throw new IllegalStateException("waited " + patience + " in vain until " + what);
      }
      LockSupport.parkNanos(PAUSE.toNanos());
    }
    return Duration.ofNanos(System.nanoTime() - start);
  }
}
