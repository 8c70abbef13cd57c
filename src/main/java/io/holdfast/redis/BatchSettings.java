package io.holdfast.redis;

import io.holdfast.config.InvalidSetting;
import io.holdfast.config.Settings;
import java.time.Duration;

/// How many calls may wait for Redis, and how long.
///
/// @param waitMax how long a call waits to be sent before it is refused
/// @param pendingMax the calls that wait or are in flight
record BatchSettings(Duration waitMax, int pendingMax) {
  BatchSettings {
    InvalidSetting.unlessBetween(
        "holdfast.hold-wait", Duration.ofMillis(10), Duration.ofSeconds(30), waitMax);
    InvalidSetting.unlessBetween("holdfast.hold-queue", 16, 1_000_000, pendingMax);
  }

  static BatchSettings of(Settings settings) {
    return new BatchSettings(
        settings.duration("holdfast.hold-wait", Duration.ofMillis(500)),
        settings.number("holdfast.hold-queue", 8_192));
  }
}
