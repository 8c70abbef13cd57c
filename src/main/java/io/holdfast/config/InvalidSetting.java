package io.holdfast.config;

import java.time.Duration;
import java.util.Locale;

/// A setting that the service refuses to start with. The sentence has its name as a property and as
/// an environment variable.
public final class InvalidSetting extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public InvalidSetting(String setting, String rule, Object value) {
    super(
        "The setting %s (environment %s) %s, but is %s."
            .formatted(setting, environmentName(setting), rule, value));
  }

  public static void unlessBetween(String setting, int least, int most, int value) {
    if (value < least || value > most) {
      throw new InvalidSetting(setting, "must lie between " + least + " and " + most, value);
    }
  }

  public static void unlessBetween(String setting, Duration least, Duration most, Duration value) {
    if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
      var rule = "must lie between %d ms and %d ms".formatted(least.toMillis(), most.toMillis());
      throw new InvalidSetting(setting, rule, value.toMillis() + " ms");
    }
  }

  public static String environmentName(String setting) {
    return setting.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
  }
}
