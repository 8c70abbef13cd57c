package io.holdfast.web;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/// Times in responses and events: RFC 3339 in UTC, always with milliseconds.
public final class Timestamp {
  private static final DateTimeFormatter MILLISECONDS =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

  private Timestamp() {}

  public static String of(Instant instant) {
    return MILLISECONDS.format(instant);
  }
}
