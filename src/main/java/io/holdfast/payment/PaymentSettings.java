package io.holdfast.payment;

import io.holdfast.Settings;
import io.holdfast.WrongSetting;
import java.time.Duration;
import java.util.Optional;

/// Who moves money, and how long it may take.
///
/// @param timeout after that an answer is unknown
/// @param callsMax how many calls one provider is asked at a time
/// @param demo whether there is a simulator
/// @param provider who is asked over HTTP, if anybody is
record PaymentSettings(
    Duration timeout, int callsMax, boolean demo, Optional<ProviderSettings> provider) {

  PaymentSettings {
    WrongSetting.unlessBetween(
        "holdfast.payment-timeout", Duration.ofMillis(50), Duration.ofMinutes(1), timeout);
    WrongSetting.unlessBetween("holdfast.payment-calls", 1, 10_000, callsMax);
  }

  static PaymentSettings of(Settings settings) {
    return new PaymentSettings(
        settings.duration("holdfast.payment-timeout", Duration.ofSeconds(2)),
        settings.number("holdfast.payment-calls", 64),
        settings.flag("holdfast.demo", false),
        ProviderSettings.of(settings));
  }
}
