package io.holdfast.checkout;

import io.holdfast.checkout.saga.CheckoutRun;
import io.holdfast.checkout.saga.CheckoutRun.Phase;
import io.holdfast.checkout.saga.CheckoutRun.StepState;
import io.holdfast.checkout.saga.RunTransition;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Counts the ends of checkouts and compensations. A stuck checkout is also logged as an error.
@Singleton
final class CheckoutMeters {
  private static final Logger LOG = LoggerFactory.getLogger(CheckoutMeters.class);

  private final MeterRegistry meters;

  CheckoutMeters(MeterRegistry meters) {
    this.meters = meters;
  }

  void count(List<RunTransition.Entry> entries) {
    for (var entry : entries) {
      switch (entry.event()) {
        case "UNDONE" -> compensation("done");
        case "UNDO_FAILED" -> compensation("failed");
        case "STUCK" -> compensation("stuck");
        default -> {}
      }
    }
  }

  void ended(CheckoutRun run) {
    meters
        .counter("holdfast.checkouts", "end", run.phase().name().toLowerCase(Locale.ROOT))
        .increment();
    if (run.phase() == Phase.STUCK) {
      LOG.error(
          "Checkout {} is stuck: {}; after removing the cause, POST /v1/checkouts/{}/resume",
          run.id(),
          run.steps().stream()
              .filter(step -> step.undo() == StepState.Undo.STUCK)
              .map(step -> step.name() + " could not be undone (" + step.detail() + ")")
              .toList(),
          run.id());
    }
  }

  private void compensation(String outcome) {
    meters.counter("holdfast.compensations", "outcome", outcome).increment();
  }
}
