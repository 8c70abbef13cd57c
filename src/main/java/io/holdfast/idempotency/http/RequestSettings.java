package io.holdfast.idempotency.http;

import io.holdfast.config.InvalidSetting;
import io.holdfast.config.Settings;
import io.holdfast.idempotency.Token;
import java.time.Duration;

/// What every state-changing request is held to.
///
/// @param tokenMaxLength of an idempotency token, in bytes
/// @param idempotencyWindow how long the first answer to a token is repeated, on routes without a
///   pool; pools have windows of their own
/// @param slowestRetry how late the last retry of a call may come where that is regulated; no
///   window is shorter, neither this one nor that of a new pool
public record RequestSettings(
    int tokenMaxLength, Duration idempotencyWindow, Duration slowestRetry) {

  public RequestSettings {
    InvalidSetting.unlessBetween("holdfast.token-max-length", 36, 4_096, tokenMaxLength);
    InvalidSetting.unlessBetween(
        "holdfast.idempotency-window",
        Duration.ofSeconds(1),
        Duration.ofDays(7),
        idempotencyWindow);
    if (idempotencyWindow.compareTo(slowestRetry) < 0) {
      throw new InvalidSetting(
          "holdfast.slowest-retry",
          "must not be longer than holdfast.idempotency-window, which is %d s"
              .formatted(idempotencyWindow.toSeconds()),
          slowestRetry.toSeconds() + " s");
    }
  }

  static RequestSettings of(Settings settings) {
    return new RequestSettings(
        settings.number("holdfast.token-max-length", Token.LENGTH_MAX_DEFAULT),
        settings.duration("holdfast.idempotency-window", Duration.ofMinutes(1)),
        settings.duration("holdfast.slowest-retry", Duration.ZERO));
  }
}
