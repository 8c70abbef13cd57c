package io.holdfast.audit;

import io.micronaut.serde.annotation.Serdeable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The recorded history of one hold or one token, oldest first.
@Serdeable
record History(String of, String pool, List<Step> steps) {

  /// @param source of the record: hold, journal, attempt, entry, consumed, commitment, verification
  /// @param word the event or the answer
  /// @param attempt the caller's name for the attempt
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
