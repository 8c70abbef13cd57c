package io.holdfast.hold;

import io.holdfast.Settings;
import io.micronaut.context.annotation.Factory;
import jakarta.inject.Singleton;

@Factory
final class HoldFactory {

  @Singleton
  HoldSettings holdSettings(Settings settings) {
    return HoldSettings.of(settings);
  }
}
