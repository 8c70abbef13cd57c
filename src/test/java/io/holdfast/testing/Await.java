package io.holdfast.testing;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/// Waits for what will be true soon, and fails when it is not true in time.
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

  /// Whether it comes true in time, where servers are away at times: a condition that fails is not
  /// true yet, and it is asked less often.
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

  /// Waits until it is later than this, where the passing of time is what a test is about.
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

  /// Waits where time itself is the point, such as that of a slow client.
  public static void pause(Duration duration) {
    moment(Clock.systemUTC().instant().plus(duration));
  }
}
