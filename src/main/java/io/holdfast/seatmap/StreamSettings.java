package io.holdfast.seatmap;

import io.holdfast.config.InvalidSetting;
import io.holdfast.config.Settings;
import java.time.Duration;

/// Limits of the streams.
///
/// @param listeners maximum per instance
/// @param heartbeat how often a line is sent while nothing changes
/// @param life after which a stream ends, so that the client authenticates again
record StreamSettings(int listeners, Duration heartbeat, Duration life) {

  StreamSettings {
    InvalidSetting.unlessBetween("holdfast.live-listeners", 0, 1_000_000, listeners);
    InvalidSetting.unlessBetween(
        "holdfast.live-heartbeat", Duration.ofMillis(100), Duration.ofSeconds(30), heartbeat);
    InvalidSetting.unlessBetween(
        "holdfast.live-life", Duration.ofSeconds(1), Duration.ofDays(1), life);
  }

  static StreamSettings of(Settings settings) {
    return new StreamSettings(
        settings.number("holdfast.live-listeners", 10_000),
        settings.duration("holdfast.live-heartbeat", Duration.ofSeconds(15)),
        settings.duration("holdfast.live-life", Duration.ofMinutes(15)));
  }

  /// A client that has read nothing for this time is disconnected.
  Duration stallMax() {
    return heartbeat.multipliedBy(4);
  }
}
