package io.holdfast.events.webhook;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.DoubleSupplier;

/// When an event is tried again. Pauses are up to a fifth longer than planned, by chance, so that
/// receivers who come back are not met by all who wait at once.
record RetrySchedule(List<Duration> pauses, DoubleSupplier chance) {
  private static final double JITTER_MAX = 0.2;

  /// The pause after so many failures; nothing if there have been enough.
  ///
  /// @param retryAfter what the receiver asked for; it is never tried sooner than that
  Optional<Duration> after(int failures, Optional<Duration> retryAfter) {
    if (failures > pauses.size()) {
      return Optional.empty();
    }
    var planned = pauses.get(failures - 1);
    var jittered = (long) (planned.toMillis() * (1 + JITTER_MAX * chance.getAsDouble()));
    var pause = Duration.ofMillis(jittered);
    return Optional.of(retryAfter.filter(wish -> wish.compareTo(pause) > 0).orElse(pause));
  }
}
