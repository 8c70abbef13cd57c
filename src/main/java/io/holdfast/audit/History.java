package io.holdfast.audit;

import io.micronaut.serde.annotation.Serdeable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What is on record about one hold or one token, oldest first.
@Serdeable
record History(String of, String pool, List<Step> steps) {

  /// @param source where it is on record: hold, journal, attempt, entry, consumed, commitment,
  ///   verification
  /// @param word what happened or was answered
  /// @param attempt as the caller named it
  @Serdeable
  record Step(
      String at,
      String source,
      String word,
      @Nullable String action,
      @Nullable String caller,
      @Nullable String token,
      @Nullable String attempt,
      @Nullable Long fence,
      String detail) {}
}
