package io.holdfast.retention;

import io.holdfast.config.InvalidSetting;
import io.holdfast.config.Settings;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Factory;
import java.time.Duration;

/// How long records are kept that nothing needs any more.
///
/// @param journalKeep of the journal, and of the holds, attempts, events and counts of replays that
///   are dropped with it
public record RetentionSettings(Duration journalKeep) {
  private static final Duration DAY = Duration.ofDays(1);

  /// Redis keeps the record of a hold for up to 14 days: the longest window and a week. A hold must
  /// not be forgotten here while an old Redis can still bring it back. Postgres refuses less, too.
  private static final Duration KEEP_MIN = DAY.multipliedBy(15);

  private static final Duration KEEP_MAX = DAY.multipliedBy(36_500);

  public RetentionSettings {
    InvalidSetting.unlessBetween("holdfast.journal-keep", KEEP_MIN, KEEP_MAX, journalKeep);
  }

  static RetentionSettings of(Settings settings) {
    return new RetentionSettings(settings.duration("holdfast.journal-keep", DAY.multipliedBy(90)));
  }

  /// Created at the start, so that a wrong setting stops it.
  @Factory
  static final class Beans {
    @Context
    RetentionSettings retentionSettings(Settings settings) {
      return of(settings);
    }
  }
}
