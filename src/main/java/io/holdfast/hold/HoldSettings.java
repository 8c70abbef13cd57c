package io.holdfast.hold;

import io.holdfast.Settings;
import io.holdfast.WrongSetting;
import io.holdfast.idempotency.Token;

/// @param tokenMaxLength of an idempotency token, in bytes
record HoldSettings(int tokenMaxLength) {
  private static final int TOKEN_MOST = 1_024;

  HoldSettings {
    WrongSetting.unlessBetween("holdfast.token-max-length", 36, TOKEN_MOST, tokenMaxLength);
  }

  static HoldSettings of(Settings settings) {
    return new HoldSettings(
        settings.number("holdfast.token-max-length", Token.LENGTH_MAX_DEFAULT));
  }
}
