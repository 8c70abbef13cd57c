package io.holdfast.config;

import java.time.Duration;
import java.util.Locale;

/// A setting that the service refuses to start with. The sentence has its name as a property and as
/// an environment variable.
public final class InvalidSetting extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private static final int KEY_LENGTH_MIN = 24;
  private static final int KEY_LENGTH_MAX = 1_024;

  public InvalidSetting(String setting, String rule, Object value) {
    super(
        "The setting %s (environment %s) %s, but is %s."
            .formatted(setting, environmentName(setting), rule, value));
  }

  private InvalidSetting(String sentence) {
    super(sentence);
  }

  /// @param nearest the variable whose name is most similar
  static InvalidSetting unknown(String name, String nearest) {
    return new InvalidSetting(
        "There is no setting %s; the nearest one is %s (environment %s), and docs/settings.md lists all."
            .formatted(name, SettingNames.property(nearest), nearest));
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

  /// Refuses a key of callers that is easily guessed. The message does not contain the key.
  public static void unlessKey(String setting, String key) {
    if (key.length() < KEY_LENGTH_MIN || key.length() > KEY_LENGTH_MAX) {
      var rule = "must have %d to %d characters".formatted(KEY_LENGTH_MIN, KEY_LENGTH_MAX);
      throw new InvalidSetting(setting, rule, key.length() + " long");
    }
    if (!key.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
      var rule = "must have visible ASCII characters only, because it travels in a header";
      throw new InvalidSetting(setting, rule, "one that has others");
    }
  }

  public static String environmentName(String setting) {
    return setting.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
  }
}
