package io.holdfast.testing;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/// Waits for a condition and fails at a deadline.
public final class Await {
  private static final Duration PAUSE = Duration.ofMillis(5);
  private static final Duration LONG_PAUSE = Duration.ofMillis(50);

  private Await() {}

  public static void until(Duration patience, Callable<Boolean> condition) {
    var deadline = System.nanoTime() + patience.toNanos();
    while (!holds(condition)) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("not true within " + patience);
      }
      LockSupport.parkNanos(PAUSE.toNanos());
    }
  }

  /// Returns whether the condition becomes true in time. An exception counts as false, and the
  /// condition is checked less often, because servers may be away.
  public static boolean comesTrue(Duration patience, Callable<Boolean> condition) {
    var deadline = System.nanoTime() + patience.toNanos();
    while (System.nanoTime() < deadline) {
      try {
        if (condition.call()) {
          return true;
        }
      } catch (Exception | AssertionError e) {
        // not yet
      }
      LockSupport.parkNanos(LONG_PAUSE.toNanos());
    }
    return false;
  }

  /// Waits until this time, for tests that are about the passing of time.
  public static void moment(Instant moment) {
    var ahead = Duration.between(Clock.systemUTC().instant(), moment);
    until(
        ahead.isPositive() ? ahead.multipliedBy(2).plusSeconds(1) : Duration.ofSeconds(1),
        () -> Clock.systemUTC().instant().isAfter(moment));
  }

  private static boolean holds(Callable<Boolean> condition) {
    try {
      return condition.call();
    } catch (Exception e) {
      throw new AssertionError("the condition itself failed", e);
    }
  }

  /// Waits for a duration, for tests that are about time, such as a slow client.
  public static void pause(Duration duration) {
    moment(Clock.systemUTC().instant().plus(duration));
  }
}
