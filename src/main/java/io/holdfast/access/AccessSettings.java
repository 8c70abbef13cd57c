package io.holdfast.access;

import io.holdfast.config.InvalidSetting;
import io.holdfast.config.Settings;
import java.util.Optional;

/// The keys that come from settings, and the rate limit of callers.
///
/// @param operatorKey has all scopes, for the caller `operator`
/// @param demo whether the public key `hf_demo_key` has all scopes, for the caller `demo`
/// @param rateLimit requests a second for each caller on this instance; 0 for no limit
record AccessSettings(Optional<String> operatorKey, boolean demo, int rateLimit) {
  private static final int RATE_MAX = 10_000_000;
  private static final String OFF = "off";

  AccessSettings {
    operatorKey.ifPresent(key -> InvalidSetting.unlessKey("holdfast.operator-key", key));
    InvalidSetting.unlessBetween("holdfast.rate-limit", 0, RATE_MAX, rateLimit);
  }

  static AccessSettings of(Settings settings) {
    var isOff = settings.text("holdfast.rate-limit").filter(OFF::equals).isPresent();
    return new AccessSettings(
        settings.text("holdfast.operator-key"),
        settings.flag("holdfast.demo", false),
        isOff ? 0 : settings.number("holdfast.rate-limit", 2_000));
  }
}
