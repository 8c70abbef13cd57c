package io.holdfast.web.connection;

import io.holdfast.config.Settings;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Factory;

/// Reads the settings when the context starts, so that a wrong one stops the start.
@Factory
final class ConnectionFactory {

  @Context
  ConnectionSettings connectionSettings(Settings settings) {
    return ConnectionSettings.of(settings);
  }

  @Context
  CrossOriginSettings crossOriginSettings(Settings settings) {
    return CrossOriginSettings.of(settings);
  }
}
