package io.holdfast.idempotency;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// The whole rule of a guard, as a function of what is recorded and of the time that it is handed.
/// It reads no clock. The scripts and statements of the stores say the same in their own languages.
public final class GuardWindow {
  private GuardWindow() {}

  /// At the very end of the window an identity is fresh again.
  ///
  /// @param recordedAt null if it never was
  public static GuardResult sighting(@Nullable Instant recordedAt, Instant now, Duration window) {
    return recordedAt != null && recordedAt.isAfter(elapsedAt(now, window))
        ? GuardResult.SEEN
        : GuardResult.NOT_SEEN;
  }

  /// When the identity counts as recorded, once it is recorded now: what is under guard keeps its
  /// moment, so no repetition moves the end of a window.
  public static Instant afterRecord(@Nullable Instant recordedAt, Instant now, Duration window) {
    return recordedAt != null && sighting(recordedAt, now, window) == GuardResult.SEEN
        ? recordedAt
        : now;
  }

  /// What was recorded then or earlier is no longer under guard.
  public static Instant elapsedAt(Instant now, Duration window) {
    return now.minus(window);
  }
}
