package io.holdfast.events.webhook;

import io.holdfast.config.Settings;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Factory;

/// Reads the settings, at the start, so that a wrong one ends it there.
@Factory
final class WebhookFactory {

  @Context
  WebhookSettings webhookSettings(Settings settings) {
    return WebhookSettings.of(settings);
  }
}
