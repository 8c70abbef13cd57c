package io.holdfast.intent;

import io.holdfast.Settings;
import io.micronaut.context.annotation.Factory;
import jakarta.inject.Singleton;

@Factory
final class IntentFactory {

  @Singleton
  IntentMode intentMode(Settings settings) {
    return IntentMode.of(settings);
  }
}
