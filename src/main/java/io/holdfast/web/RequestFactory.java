package io.holdfast.web;

import io.holdfast.Settings;
import io.micronaut.context.annotation.Factory;
import jakarta.inject.Singleton;

@Factory
final class RequestFactory {

  @Singleton
  RequestSettings requestSettings(Settings settings) {
    return RequestSettings.of(settings);
  }
}
