package io.holdfast.payment;

import io.holdfast.config.InvalidSetting;
import io.holdfast.config.Settings;
import java.time.Duration;
import java.util.Optional;

/// Who moves money, and how long it may take.
///
/// @param timeout after that an answer is unknown
/// @param callsMax how many calls one provider is asked at a time
/// @param demo whether there is a simulator
/// @param provider who is asked over HTTP, if anybody is
public record PaymentSettings(
    Duration timeout, int callsMax, boolean demo, Optional<ProviderSettings> provider) {

  public PaymentSettings {
    InvalidSetting.unlessBetween(
        "holdfast.payment-timeout", Duration.ofMillis(50), Duration.ofMinutes(1), timeout);
    InvalidSetting.unlessBetween("holdfast.payment-calls", 1, 10_000, callsMax);
  }

  static PaymentSettings of(Settings settings) {
    return new PaymentSettings(
        settings.duration("holdfast.payment-timeout", Duration.ofSeconds(2)),
        settings.number("holdfast.payment-calls", 64),
        settings.flag("holdfast.demo", false),
        ProviderSettings.of(settings));
  }
}
