package io.holdfast.seatmap;

import io.holdfast.config.Settings;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Factory;

/// Reads the settings of the streams, at the start, so that a wrong one ends it there.
@Factory
final class SeatMapFactory {

  @Context
  StreamSettings liveSettings(Settings settings) {
    return StreamSettings.of(settings);
  }
}
