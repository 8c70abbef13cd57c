package io.holdfast.journal;

import io.holdfast.config.Settings;
import io.micronaut.context.annotation.Factory;
import jakarta.inject.Singleton;

@Factory
final class JournalFactory {

  @Singleton
  JournalSettings journalSettings(Settings settings) {
    return JournalSettings.of(settings);
  }
}
