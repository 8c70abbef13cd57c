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
  private static final int KEY_LENGTH_MIN = 24;
  private static final int KEY_LENGTH_MAX = 1_024;
  private static final int RATE_MAX = 10_000_000;
  private static final String OFF = "off";

  AccessSettings {
    operatorKey.ifPresent(AccessSettings::refuseWeak);
    InvalidSetting.unlessBetween("holdfast.rate-limit", 0, RATE_MAX, rateLimit);
  }

  static AccessSettings of(Settings settings) {
    var isOff = settings.text("holdfast.rate-limit").filter(OFF::equals).isPresent();
    return new AccessSettings(
        settings.text("holdfast.operator-key"),
        settings.flag("holdfast.demo", false),
        isOff ? 0 : settings.number("holdfast.rate-limit", 2_000));
  }

  /// The message must not contain the key.
  private static void refuseWeak(String key) {
    if (key.length() < KEY_LENGTH_MIN || key.length() > KEY_LENGTH_MAX) {
      var rule = "must have %d to %d characters".formatted(KEY_LENGTH_MIN, KEY_LENGTH_MAX);
      throw new InvalidSetting("holdfast.operator-key", rule, key.length() + " long");
    }
    if (!key.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
      var rule = "must have visible ASCII characters only, because it travels in a header";
      throw new InvalidSetting("holdfast.operator-key", rule, "one that has others");
    }
  }
}
