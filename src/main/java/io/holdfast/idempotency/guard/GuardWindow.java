package io.holdfast.idempotency.guard;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// The rule of a guard as a pure function of the recorded time and the current time. The scripts
/// and SQL statements of the stores implement the same rule.
public final class GuardWindow {
  private GuardWindow() {}

  /// At the end of its window an identity is NOT_SEEN again.
  ///
  /// @param recordedAt null if it was never recorded
  public static GuardResult check(@Nullable Instant recordedAt, Instant now, Duration window) {
    return recordedAt != null && recordedAt.isAfter(expiredUntil(now, window))
        ? GuardResult.SEEN
        : GuardResult.NOT_SEEN;
  }

  /// The recorded time after a record at `now`. An identity in its window keeps its time, so a
  /// repetition does not extend the window.
  public static Instant afterRecord(@Nullable Instant recordedAt, Instant now, Duration window) {
    return recordedAt != null && check(recordedAt, now, window) == GuardResult.SEEN
        ? recordedAt
        : now;
  }

  /// Identities that were recorded at this time or earlier have expired.
  public static Instant expiredUntil(Instant now, Duration window) {
    return now.minus(window);
  }
}
