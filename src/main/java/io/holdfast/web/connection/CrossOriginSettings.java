package io.holdfast.web.connection;

import io.holdfast.config.InvalidSetting;
import io.holdfast.config.Settings;
import io.holdfast.web.PublicUrl;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;

/// The origins whose pages may call the service from a browser, besides its own.
///
/// @param origins exact: scheme, host and port as browsers send them
record CrossOriginSettings(Set<String> origins) {
  private static final String SETTING = "holdfast.cors-origins";
  private static final int ORIGINS_MAX = 100;

  static CrossOriginSettings of(Settings settings) {
    var origins =
        Arrays.stream(settings.text(SETTING).orElse("").split(","))
            .map(String::strip)
            .filter(origin -> !origin.isEmpty())
            .map(CrossOriginSettings::checked)
            .collect(Collectors.toUnmodifiableSet());
    InvalidSetting.unlessBetween(SETTING, 0, ORIGINS_MAX, origins.size());
    return new CrossOriginSettings(origins);
  }

  private static String checked(String origin) {
    if (!PublicUrl.isOrigin(origin)) {
      throw new InvalidSetting(
          SETTING, "must list origins such as https://shop.example, divided by commas", origin);
    }
    return origin;
  }
}
