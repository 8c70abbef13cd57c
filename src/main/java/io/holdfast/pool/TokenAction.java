package io.holdfast.pool;

import java.util.Locale;

/// What a token can be spent on. The set is closed: nothing else is ever stored with a token.
public enum TokenAction {
  PLACE_HOLD,
  CONFIRM,
  RELEASE,
  EXPIRE;

  private final String word = name().toLowerCase(Locale.ROOT);

  public static TokenAction of(String word) {
    for (var action : values()) {
      if (action.word.equals(word)) {
        return action;
      }
    }
    throw new IllegalArgumentException("there is no action \"" + word + "\"");
  }

  /// As it is written in Redis and in Postgres.
  public String word() {
    return word;
  }
}
