package io.holdfast.web;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/// Times in responses and events: RFC 3339 in UTC, always with milliseconds. Times of requests may
/// have any offset.
public final class Timestamp {
  private static final DateTimeFormatter MILLISECONDS =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

  private static final Instant AFTER_9999 = Instant.parse("+10000-01-01T00:00:00Z");

  private Timestamp() {}

  /// A time of a request, to the millisecond. Empty if it is none or lies outside of the years 1970
  /// to 9999: scripts count from 1970, and RFC 3339 has four digits for the year.
  public static Optional<Instant> read(String text) {
    try {
      return Optional.of(OffsetDateTime.parse(text).toInstant().truncatedTo(ChronoUnit.MILLIS))
          .filter(time -> !time.isBefore(Instant.EPOCH) && time.isBefore(AFTER_9999));
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }

  public static String of(Instant instant) {
    return MILLISECONDS.format(instant);
  }
}
