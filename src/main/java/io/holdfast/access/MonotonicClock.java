package io.holdfast.access;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;

/// Starts at the time of another clock and then counts nanoseconds of the JVM, so it never jumps
/// when the clock of the machine is set. For measuring windows, not for timestamps.
final class MonotonicClock extends Clock {
  private final Clock wall;
  private final Instant start;
  private final long since = System.nanoTime();

  MonotonicClock(Clock wall) {
    this.wall = wall;
    this.start = wall.instant();
  }

  @Override
  public Instant instant() {
    return start.plusNanos(System.nanoTime() - since);
  }

  @Override
  public ZoneId getZone() {
    return wall.getZone();
  }

  @Override
  public Clock withZone(ZoneId zone) {
    return new MonotonicClock(wall.withZone(zone));
  }
}
