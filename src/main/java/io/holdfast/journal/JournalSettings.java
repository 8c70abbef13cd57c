package io.holdfast.journal;

import io.holdfast.config.InvalidSetting;
import io.holdfast.config.Settings;

/// How much may wait in Redis for Postgres.
///
/// @param linesMax lines of one pool's journal; at half of it calls are slowed down, at all of it
///   they are refused
record JournalSettings(int linesMax) {

  JournalSettings {
    InvalidSetting.unlessBetween("holdfast.journal-max", 1_000, 1_000_000_000, linesMax);
  }

  static JournalSettings of(Settings settings) {
    return new JournalSettings(settings.number("holdfast.journal-max", 1_000_000));
  }
}
