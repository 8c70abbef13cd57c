package io.holdfast.redis;

import io.holdfast.Settings;
import io.holdfast.WrongSetting;
import java.time.Duration;

/// How many calls may wait for Redis, and how long.
///
/// @param waitMax before a call is refused that was not sent yet
/// @param pendingMax calls that wait or are in flight
record BatchSettings(Duration waitMax, int pendingMax) {
  BatchSettings {
    WrongSetting.unlessBetween(
        "holdfast.hold-wait", Duration.ofMillis(10), Duration.ofSeconds(30), waitMax);
    WrongSetting.unlessBetween("holdfast.hold-queue", 16, 1_000_000, pendingMax);
  }

  static BatchSettings of(Settings settings) {
    return new BatchSettings(
        settings.duration("holdfast.hold-wait", Duration.ofMillis(500)),
        settings.number("holdfast.hold-queue", 8_192));
  }
}
