package io.holdfast.journal;

import io.holdfast.config.InvalidSetting;
import io.holdfast.config.Settings;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Factory;

/// Limits of the journal lines that wait in Redis for Postgres.
///
/// @param linesMax lines of the journal of one pool; requests are slowed down from half of it on,
///   and refused at all of it
record JournalSettings(int linesMax) {

  JournalSettings {
    InvalidSetting.unlessBetween("holdfast.journal-max", 1_000, 1_000_000_000, linesMax);
  }

  static JournalSettings of(Settings settings) {
    return new JournalSettings(settings.number("holdfast.journal-max", 1_000_000));
  }

  @Factory
  static final class Beans {
    @Context
    JournalSettings journalSettings(Settings settings) {
      return of(settings);
    }
  }
}
