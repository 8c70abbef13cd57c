package io.holdfast.checkout;

import io.micronaut.http.HttpHeaders;
import java.time.Duration;
import java.util.regex.Pattern;

/// `Prefer: wait=N` of RFC 7240. What cannot be read is no preference.
final class PreferHeader {
  static final String HEADER = "Prefer";
  static final String APPLIED = "Preference-Applied";
  private static final Pattern WAIT =
      Pattern.compile(
          "(?:^|[,;])\\s*wait\\s*=\\s*\"?(\\d{1,18})\"?\\s*(?:[,;]|$)", Pattern.CASE_INSENSITIVE);
  private static final long SECONDS_MAX = 30;

  private PreferHeader() {}

  static Duration wait(HttpHeaders headers) {
    return headers.getAll(HEADER).stream()
        .map(WAIT::matcher)
        .filter(java.util.regex.Matcher::find)
        .map(matcher -> Long.parseLong(matcher.group(1)))
        .findFirst()
        .map(seconds -> Duration.ofSeconds(Math.min(seconds, SECONDS_MAX)))
        .orElse(Duration.ZERO);
  }
}
