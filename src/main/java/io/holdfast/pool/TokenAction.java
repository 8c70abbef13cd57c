package io.holdfast.pool;

import java.util.Locale;

/// The actions that use a token. The set is closed: it is an enum type in Postgres.
public enum TokenAction {
  PLACE_HOLD,
  CONFIRM,
  RELEASE,
  EXPIRE,
  JOIN_QUEUE,
  LEAVE_QUEUE;

  private final String word = name().toLowerCase(Locale.ROOT);

  public static TokenAction of(String word) {
    for (var action : values()) {
      if (action.word.equals(word)) {
        return action;
      }
    }
    throw new IllegalArgumentException("there is no action \"" + word + "\"");
  }

  /// The form in Redis and in Postgres.
  public String word() {
    return word;
  }
}
