package io.holdfast.commitment;

import io.holdfast.config.Settings;
import io.micronaut.context.annotation.Factory;
import jakarta.inject.Singleton;

@Factory
final class CommitmentFactory {

  @Singleton
  CommitSettings commitSettings(Settings settings) {
    return CommitSettings.of(settings);
  }
}
