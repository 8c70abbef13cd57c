package io.holdfast.hold.pin;

import io.holdfast.config.InvalidSetting;
import io.holdfast.config.Settings;
import io.holdfast.postgres.PostgresSettings;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Factory;
import java.time.Duration;

/// How long Redis keeps a hold that is being committed.
///
/// @param pin how long a commit may take
/// @param maxClockSkew how far the clocks of Redis and Postgres may differ
/// @param grace how long after the deadline of its pin a transaction may still be open in Postgres
public record PinSettings(Duration pin, Duration maxClockSkew, Duration grace) {

  public PinSettings {
    InvalidSetting.unlessBetween("holdfast.pin", Duration.ofSeconds(1), Duration.ofMinutes(5), pin);
    InvalidSetting.unlessBetween(
        "holdfast.max-clock-skew", Duration.ofMillis(10), pin.dividedBy(2), maxClockSkew);
  }

  /// Reads the settings at the start, so that an invalid one stops the service.
  @Factory
  static final class Reader {

    /// After a statement timeout and an idle timeout Postgres has ended the transaction itself.
    @Context
    PinSettings pinSettings(Settings settings, PostgresSettings postgres) {
      var skew = settings.duration("holdfast.max-clock-skew", Duration.ofMillis(500));
      return new PinSettings(
          settings.duration("holdfast.pin", Duration.ofSeconds(10)),
          skew,
          postgres
              .statementTimeout()
              .plus(postgres.idleInTransactionTimeout())
              .plus(skew.multipliedBy(2)));
    }
  }
}
