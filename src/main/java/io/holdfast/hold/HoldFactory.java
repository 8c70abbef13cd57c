package io.holdfast.hold;

import io.holdfast.config.Settings;
import io.holdfast.hold.pin.PinSettings;
import io.holdfast.postgres.PostgresSettings;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Factory;
import java.time.Duration;

/// Reads the settings of the fast layer, at the start, so that a wrong one ends it there.
@Factory
final class HoldFactory {

  /// A statement runs for so long at most, and between two statements the server waits no longer
  /// than that: afterwards it has ended the transaction itself.
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
