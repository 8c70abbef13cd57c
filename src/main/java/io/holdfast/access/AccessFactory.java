package io.holdfast.access;

import io.holdfast.Settings;
import io.micronaut.context.annotation.Factory;
import jakarta.inject.Singleton;
import java.security.SecureRandom;

@Factory
final class AccessFactory {

  @Singleton
  AccessSettings accessSettings(Settings settings) {
    return AccessSettings.of(settings);
  }

  @Singleton
  SecureRandom secrets() {
    return new SecureRandom();
  }
}
