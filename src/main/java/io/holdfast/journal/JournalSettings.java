package io.holdfast.journal;

import io.holdfast.Settings;
import io.holdfast.WrongSetting;

/// How much may wait in Redis for Postgres.
///
/// @param linesMax lines of one pool's journal; at half of it calls are slowed down, at all of it
///   they are refused
record JournalSettings(int linesMax) {

  JournalSettings {
    WrongSetting.unlessBetween("holdfast.journal-max", 1_000, 1_000_000_000, linesMax);
  }

  static JournalSettings of(Settings settings) {
    return new JournalSettings(settings.number("holdfast.journal-max", 1_000_000));
  }
}
