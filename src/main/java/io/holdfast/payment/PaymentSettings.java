package io.holdfast.payment;

import io.holdfast.config.InvalidSetting;
import io.holdfast.config.Settings;
import java.time.Duration;
import java.util.Optional;

/// The payment providers and the limits of calls to them.
///
/// @param timeout after which the outcome of a call is unknown
/// @param callsMax in flight at one provider
/// @param demo whether there is a simulator
/// @param provider that is called over HTTP, if one is configured
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
