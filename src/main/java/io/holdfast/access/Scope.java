package io.holdfast.access;

import java.util.Locale;
import java.util.Optional;

/// A permission of a caller. Routes name the one they need with `@Secured("hold")`.
public enum Scope {
  HOLD,
  COMMIT,
  OPERATE,
  AUDIT,

  /// Makes and revokes keys of all callers. Without it, a caller has only its own.
  ADMIN;

  private final String word = name().toLowerCase(Locale.ROOT);

  /// The name in JSON, in the table and on routes.
  public String word() {
    return word;
  }

  public static Optional<Scope> of(String word) {
    for (var scope : values()) {
      if (scope.word.equals(word)) {
        return Optional.of(scope);
      }
    }
    return Optional.empty();
  }
}
