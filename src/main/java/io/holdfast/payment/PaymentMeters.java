package io.holdfast.payment;

import io.holdfast.payment.PaymentOutcome.Declined;
import io.holdfast.payment.PaymentOutcome.Done;
import io.holdfast.payment.PaymentOutcome.Pending;
import io.holdfast.payment.PaymentOutcome.Unknown;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import jakarta.inject.Singleton;
import java.util.concurrent.TimeUnit;

/// What payments tell Prometheus.
@Singleton
final class PaymentMeters {
  private final MeterRegistry meters;

  PaymentMeters(MeterRegistry meters) {
    this.meters = meters;
  }

  void asked(String provider, PaymentStep step, PaymentOutcome outcome, long nanos) {
    Timer.builder("holdfast.payment.duration")
        .description("From asking a payment provider to what came of it")
        .tag("provider", provider)
        .tag("step", step.word())
        .tag("outcome", word(outcome))
        .register(meters)
        .record(nanos, TimeUnit.NANOSECONDS);
  }

  private static String word(PaymentOutcome outcome) {
    return switch (outcome) {
      case Done _ -> "done";
      case Declined _ -> "declined";
      case Pending _ -> "pending";
      case Unknown _ -> "unknown";
    };
  }
}
