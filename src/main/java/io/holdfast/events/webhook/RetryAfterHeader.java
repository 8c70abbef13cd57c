package io.holdfast.events.webhook;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.Optional;

/// How long a receiver wants to be left alone: so many seconds, or until a date.
final class RetryAfterHeader {
  private static final Duration MOST = Duration.ofDays(1);

  private RetryAfterHeader() {}

  /// What makes no sense does not count.
  static Optional<Duration> read(String value, Instant now) {
    try {
      return Optional.of(Duration.ofSeconds(Long.parseLong(value.strip())))
          .flatMap(RetryAfterHeader::fit);
    } catch (NumberFormatException | ArithmeticException e) {
      return ofDate(value, now);
    }
  }

  private static Optional<Duration> ofDate(String value, Instant now) {
    try {
      var date = Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(value.strip()));
      return fit(Duration.between(now, date));
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }

  private static Optional<Duration> fit(Duration wish) {
    return wish.isPositive()
        ? Optional.of(wish.compareTo(MOST) < 0 ? wish : MOST)
        : Optional.empty();
  }
}
