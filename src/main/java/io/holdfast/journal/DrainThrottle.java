package io.holdfast.journal;

import java.time.Duration;
import java.util.function.DoubleSupplier;

/// How long draining pauses after a batch, so that callers come first. On a busy instance it takes
/// a fifth of the time, as long as little waits in Redis; the more waits there, the less it pauses.
record DrainThrottle(DoubleSupplier callsPerSecond, int linesMax) {
  private static final double CALM = 100;
  private static final double BUSY = 1_000;
  private static final double LONGEST = 4;

  /// @param took how long the batch took
  /// @param backlog how many lines of its journal wait
  Duration pauseAfter(Duration took, long backlog) {
    var factor = LONGEST * load() * room(backlog);
    return Duration.ofNanos((long) (took.toNanos() * factor));
  }

  /// Whether so few call that nobody has to be made room for.
  boolean isCalm() {
    return load() == 0;
  }

  /// From 0, nobody calls, to 1, many do.
  private double load() {
    return between(0, (callsPerSecond.getAsDouble() - CALM) / (BUSY - CALM), 1);
  }

  /// From 1, up to a quarter of what may wait, to 0, all of it.
  private double room(long backlog) {
    return between(0, (1 - (double) backlog / linesMax) / 0.75, 1);
  }

  private static double between(double least, double value, double most) {
    return Math.max(least, Math.min(value, most));
  }
}
