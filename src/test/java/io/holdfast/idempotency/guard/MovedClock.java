package io.holdfast.idempotency.guard;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/// A clock that changes only when a test moves it.
final class MovedClock extends Clock {
  static final Instant START = Instant.parse("2026-11-16T20:00:00Z");

  private volatile Instant now = START;

  void move(Duration by) {
    now = now.plus(by);
  }

  void set(Instant moment) {
    now = moment;
  }

  @Override
  public Instant instant() {
    return now;
  }

  @Override
  public ZoneId getZone() {
    return ZoneOffset.UTC;
  }

  @Override
  public Clock withZone(ZoneId zone) {
    return this;
  }
}
