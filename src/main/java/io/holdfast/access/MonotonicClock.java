package io.holdfast.access;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;

/// Begins with the time of another clock and counts on from there, so it never jumps, whatever
/// somebody does to the clock of the machine. For windows, not for moments that others understand.
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
