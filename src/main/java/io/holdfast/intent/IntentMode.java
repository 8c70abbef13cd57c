package io.holdfast.intent;

import io.holdfast.Settings;
import io.holdfast.WrongSetting;
import java.util.Locale;
import java.util.stream.Stream;

/// Where holds are kept: in Redis, or as rows in Postgres for those who run none.
public enum IntentMode {
  REDIS("Redis"),
  POSTGRES("Postgres");

  public static final String SETTING = "holdfast.intent";

  /// The value of the setting, as `@Requires` compares it.
  public static final String WITHOUT_REDIS = "postgres";

  private final String server;

  IntentMode(String server) {
    this.server = server;
  }

  public static IntentMode of(Settings settings) {
    var word = settings.text(SETTING).map(String::strip).orElse(REDIS.word());
    return Stream.of(values())
        .filter(mode -> mode.word().equals(word))
        .findFirst()
        .orElseThrow(() -> new WrongSetting(SETTING, "must be redis or postgres", word));
  }

  /// What keeps them, for messages.
  public String server() {
    return server;
  }

  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
