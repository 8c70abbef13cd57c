package io.holdfast.access;

import io.github.bucket4j.ConsumptionProbe;
import io.micronaut.http.MutableHttpResponse;

/// What is left of a caller's rate limit after this request.
///
/// @param policy the limit itself, in the form of the header `RateLimit-Policy`
record RateLimitResult(String policy, ConsumptionProbe probe) {
  private static final long NANOS = 1_000_000_000;

  boolean isGranted() {
    return probe.isConsumed();
  }

  long secondsToWait() {
    return Math.max(1, seconds(probe.getNanosToWaitForRefill()));
  }

  void addHeaders(MutableHttpResponse<?> response) {
    response.header("RateLimit-Policy", policy);
    response.header(
        "RateLimit",
        "\"default\";r="
            + probe.getRemainingTokens()
            + ";t="
            + seconds(probe.getNanosToWaitForReset()));
  }

  private static long seconds(long nanos) {
    return (nanos + NANOS - 1) / NANOS;
  }
}
