package io.holdfast.audit;

import io.micronaut.serde.annotation.Serdeable;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// All recorded steps of one hold or of one idempotency key, oldest first.
///
/// @param of the id of the hold, or the idempotency key
@Serdeable
record History(String of, String pool, List<Step> steps) {

  /// @param source the record: hold, journal, attempt, entry, replay, consumed, commitment or
  ///   verification
  /// @param word what happened, or the outcome
  /// @param token the idempotency key
  /// @param attempt the caller's attemptId
  @Serdeable
  @Schema(name = "HistoryStep")
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
