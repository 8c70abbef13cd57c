package io.holdfast.idempotency.http;

import io.holdfast.config.Settings;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Factory;

/// Creates the settings at the start, so that a wrong one stops it.
@Factory
final class RequestFactory {

  @Context
  RequestSettings requestSettings(Settings settings) {
    return RequestSettings.of(settings);
  }
}
