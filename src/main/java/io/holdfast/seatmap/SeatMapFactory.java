package io.holdfast.seatmap;

import io.holdfast.config.Settings;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Factory;

/// Reads the settings of the streams at the start, so that an invalid one stops the service.
@Factory
final class SeatMapFactory {

  @Context
  StreamSettings streamSettings(Settings settings) {
    return StreamSettings.of(settings);
  }
}
