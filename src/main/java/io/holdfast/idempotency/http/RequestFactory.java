package io.holdfast.idempotency.http;

import io.holdfast.config.Settings;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Factory;

/// Made with the context: a wrong setting stops the start, not the first request.
@Factory
final class RequestFactory {

  @Context
  RequestSettings requestSettings(Settings settings) {
    return RequestSettings.of(settings);
  }
}
