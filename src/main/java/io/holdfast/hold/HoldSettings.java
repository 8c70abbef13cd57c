package io.holdfast.hold;

import io.holdfast.Settings;
import io.holdfast.WrongSetting;
import io.holdfast.idempotency.Token;
import java.time.Duration;

/// @param tokenMaxLength of an idempotency token, in bytes
/// @param idempotencyWindow of routes without a pool; every pool has its own
record HoldSettings(int tokenMaxLength, Duration idempotencyWindow) {
  private static final int TOKEN_MOST = 1_024;

  HoldSettings {
    WrongSetting.unlessBetween("holdfast.token-max-length", 36, TOKEN_MOST, tokenMaxLength);
    WrongSetting.unlessBetween(
        "holdfast.idempotency-window",
        Duration.ofSeconds(1),
        Duration.ofDays(1),
        idempotencyWindow);
  }

  static HoldSettings of(Settings settings) {
    return new HoldSettings(
        settings.number("holdfast.token-max-length", Token.LENGTH_MAX_DEFAULT),
        settings.duration("holdfast.idempotency-window", Duration.ofMinutes(1)));
  }
}
