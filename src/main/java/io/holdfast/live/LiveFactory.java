package io.holdfast.live;

import io.holdfast.Settings;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Factory;

/// Reads the settings of the streams, at the start, so that a wrong one ends it there.
@Factory
final class LiveFactory {

  @Context
  LiveSettings liveSettings(Settings settings) {
    return LiveSettings.of(settings);
  }
}
