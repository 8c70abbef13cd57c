package io.holdfast.events.webhook;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Optional;
import java.util.function.DoubleSupplier;

/// The pauses between delivery attempts. A random jitter of up to a fifth spreads the retries of
/// many lanes to a receiver that recovers.
record RetrySchedule(List<Duration> pauses, DoubleSupplier random) {
  private static final double JITTER_MAX = 0.2;
  private static final Duration RETRY_AFTER_MAX = Duration.ofDays(1);

  /// Returns the pause after so many failures; empty if no further attempt follows.
  ///
  /// @param retryAfter the pause that the receiver asked for; the next attempt is never earlier
  Optional<Duration> after(int failures, Optional<Duration> retryAfter) {
    if (failures > pauses.size()) {
      return Optional.empty();
    }
    var planned = pauses.get(failures - 1);
    var jittered = (long) (planned.toMillis() * (1 + JITTER_MAX * random.getAsDouble()));
    var pause = Duration.ofMillis(jittered);
    return Optional.of(retryAfter.filter(asked -> asked.compareTo(pause) > 0).orElse(pause));
  }

  /// Reads a `Retry-After` header: seconds, or a date. An invalid value is ignored.
  static Optional<Duration> parseRetryAfter(String value, Instant now) {
    try {
      return atMostOneDay(Duration.ofSeconds(Long.parseLong(value.strip())));
    } catch (NumberFormatException | ArithmeticException e) {
      return parseDate(value, now);
    }
  }

  private static Optional<Duration> parseDate(String value, Instant now) {
    try {
      var date = Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(value.strip()));
      return atMostOneDay(Duration.between(now, date));
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }

  private static Optional<Duration> atMostOneDay(Duration asked) {
    return asked.isPositive()
        ? Optional.of(asked.compareTo(RETRY_AFTER_MAX) < 0 ? asked : RETRY_AFTER_MAX)
        : Optional.empty();
  }
}
