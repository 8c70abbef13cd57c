package io.holdfast.seatmap;

import io.holdfast.config.InvalidSetting;
import io.holdfast.config.Settings;
import java.time.Duration;

/// How many may listen, and for how long.
///
/// @param listeners on this instance at a time; the next one is refused
/// @param heartbeat how often a line is sent where nothing happens
/// @param life after which a stream ends, so that whoever listens shows a valid key again
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

  /// Whoever has taken nothing for so long is gone.
  Duration patience() {
    return heartbeat.multipliedBy(4);
  }
}
