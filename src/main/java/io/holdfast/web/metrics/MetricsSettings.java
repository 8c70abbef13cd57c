package io.holdfast.web.metrics;

import io.holdfast.config.InvalidSetting;
import io.holdfast.config.Settings;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Factory;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Optional;

/// Who may read all metrics.
///
/// @param key of those who may see the names of pools; empty for nobody
record MetricsSettings(Optional<String> key) {
  private static final String KEY = "holdfast.metrics-key";

  MetricsSettings {
    key.ifPresent(given -> InvalidSetting.unlessKey(KEY, given));
  }

  /// Compares in a time that does not tell how much of the key is right.
  boolean isKey(String given) {
    return key.isPresent() && MessageDigest.isEqual(bytes(key.get()), bytes(given));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /// Created at the start, so that a wrong setting stops it.
  @Factory
  static final class Beans {
    @Context
    MetricsSettings metricsSettings(Settings settings) {
      return new MetricsSettings(settings.text(KEY));
    }
  }
}
