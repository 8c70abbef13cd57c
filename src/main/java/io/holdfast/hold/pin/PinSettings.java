package io.holdfast.hold.pin;

import io.holdfast.config.InvalidSetting;
import java.time.Duration;

/// How long a hold is kept for the sake of a commit that is under way.
///
/// @param pin how long a commit may take
/// @param maxClockSkew how far the clocks of Redis and Postgres may be apart
/// @param grace how long after its deadline a transaction may still be open in Postgres
public record PinSettings(Duration pin, Duration maxClockSkew, Duration grace) {

  public PinSettings {
    InvalidSetting.unlessBetween("holdfast.pin", Duration.ofSeconds(1), Duration.ofMinutes(5), pin);
    InvalidSetting.unlessBetween(
        "holdfast.max-clock-skew", Duration.ofMillis(10), pin.dividedBy(2), maxClockSkew);
  }
}
