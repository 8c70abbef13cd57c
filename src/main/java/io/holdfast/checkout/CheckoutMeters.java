package io.holdfast.checkout;

import io.micrometer.core.instrument.MeterRegistry;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// How checkouts end, and how undoing goes. One that is stuck is an error in the log, too: somebody
/// has to look at it.
@Singleton
final class CheckoutMeters {
  private static final Logger LOG = LoggerFactory.getLogger(CheckoutMeters.class);

  private final MeterRegistry meters;

  CheckoutMeters(MeterRegistry meters) {
    this.meters = meters;
  }

  void counted(List<Progress.Entry> entries) {
    for (var entry : entries) {
      switch (entry.event()) {
        case "UNDONE" -> compensation("done");
        case "UNDO_FAILED" -> compensation("failed");
        case "STUCK" -> compensation("stuck");
        default -> {}
      }
    }
  }

  void ended(Run run) {
    meters
        .counter("holdfast.checkouts", "end", run.phase().name().toLowerCase(Locale.ROOT))
        .increment();
    if (run.phase() == Phase.STUCK) {
      LOG.error(
          "Checkout {} is stuck: {}; when the cause is mended, POST /v1/checkouts/{}/resume",
          run.id(),
          run.steps().stream()
              .filter(step -> step.undo() == RunStep.Undo.STUCK)
              .map(step -> step.name() + " could not be undone (" + step.detail() + ")")
              .toList(),
          run.id());
    }
  }

  private void compensation(String outcome) {
    meters.counter("holdfast.compensations", "outcome", outcome).increment();
  }
}
