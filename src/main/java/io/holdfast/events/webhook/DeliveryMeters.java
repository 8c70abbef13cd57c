package io.holdfast.events.webhook;

import io.holdfast.events.webhook.DeliveryOutcome.Delivered;
import io.holdfast.events.webhook.DeliveryOutcome.Failed;
import io.holdfast.events.webhook.DeliveryOutcome.Gone;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import jakarta.inject.Singleton;
import java.time.Duration;

/// Metrics of events and their deliveries.
@Singleton
final class DeliveryMeters {
  private final Counter numbered;
  private final Timer delivered;
  private final Timer failed;

  DeliveryMeters(MeterRegistry meters) {
    numbered =
        Counter.builder("holdfast.events")
            .description("Events that were numbered")
            .register(meters);
    delivered = timer(meters, "delivered");
    failed = timer(meters, "failed");
  }

  void numbered(int count) {
    numbered.increment(count);
  }

  void attempted(DeliveryOutcome outcome, Duration took) {
    switch (outcome) {
      case Delivered _ -> delivered.record(took);
      case Failed _, Gone _ -> failed.record(took);
    }
  }

  private static Timer timer(MeterRegistry meters, String outcome) {
    return Timer.builder("holdfast.webhook.deliveries")
        .description("Attempts to deliver events to webhooks")
        .tag("outcome", outcome)
        .register(meters);
  }
}
