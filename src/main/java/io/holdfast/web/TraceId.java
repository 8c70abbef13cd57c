package io.holdfast.web;

import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// 32 hex digits that name one request through all services it passes, as W3C Trace Context has it.
record TraceId(String value) {
  private static final Pattern TRACEPARENT =
      Pattern.compile(
          "(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}");

  /// The trace that the header names; a new one if there is none or it is malformed, which is what
  /// the standard asks for.
  static TraceId of(@Nullable String traceparent) {
    if (traceparent != null) {
      var matcher = TRACEPARENT.matcher(traceparent);
      if (matcher.matches()) {
        return new TraceId(matcher.group(1));
      }
    }
    return random();
  }

  /// Ids need to differ, not to be secret.
  private static TraceId random() {
    var random = ThreadLocalRandom.current();
    var hex = HexFormat.of();
    return new TraceId(hex.toHexDigits(random.nextLong()) + hex.toHexDigits(random.nextLong()));
  }
}
