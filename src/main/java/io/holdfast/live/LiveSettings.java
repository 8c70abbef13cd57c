package io.holdfast.live;

import io.holdfast.Settings;
import io.holdfast.WrongSetting;
import java.time.Duration;

/// How many may listen, and for how long.
///
/// @param listeners on this instance at a time; the next one is refused
/// @param heartbeat how often a line is sent where nothing happens
/// @param life after which a stream ends, so that whoever listens shows a valid key again
record LiveSettings(int listeners, Duration heartbeat, Duration life) {

  LiveSettings {
    WrongSetting.unlessBetween("holdfast.live-listeners", 0, 1_000_000, listeners);
    WrongSetting.unlessBetween(
        "holdfast.live-heartbeat", Duration.ofMillis(100), Duration.ofSeconds(30), heartbeat);
    WrongSetting.unlessBetween(
        "holdfast.live-life", Duration.ofSeconds(1), Duration.ofDays(1), life);
  }

  static LiveSettings of(Settings settings) {
    return new LiveSettings(
        settings.number("holdfast.live-listeners", 10_000),
        settings.duration("holdfast.live-heartbeat", Duration.ofSeconds(15)),
        settings.duration("holdfast.live-life", Duration.ofMinutes(15)));
  }

  /// Whoever has taken nothing for so long is gone.
  Duration patience() {
    return heartbeat.multipliedBy(4);
  }
}
