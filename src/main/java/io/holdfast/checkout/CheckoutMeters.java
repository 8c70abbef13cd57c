package io.holdfast.checkout;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.holdfast.checkout.saga.CheckoutId;
import io.holdfast.checkout.saga.CheckoutRun;
import io.holdfast.checkout.saga.CheckoutRun.Phase;
import io.holdfast.checkout.saga.CheckoutRun.StepState;
import io.holdfast.checkout.saga.RunTransition;
import io.holdfast.checkout.step.CommitStep;
import io.holdfast.hold.HoldMetrics;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Counts the sales and the ends of checkouts, and compensations. A stuck checkout is also logged
/// as an error.
@Singleton
final class CheckoutMeters {
  private static final Logger LOG = LoggerFactory.getLogger(CheckoutMeters.class);

  private static final int LOST_MAX = 10_000;
  private static final Duration LOST_KEPT = Duration.ofHours(1);

  private final MeterRegistry meters;
  private final Counter sales;

  /// The checkouts whose last turn has an unknown end and may have made the sale.
  private final Cache<CheckoutId, Boolean> lost =
      Caffeine.newBuilder().maximumSize(LOST_MAX).expireAfterWrite(LOST_KEPT).build();

  CheckoutMeters(MeterRegistry meters) {
    this.meters = meters;
    this.sales = HoldMetrics.outcome(meters, "confirmed");
  }

  void count(List<RunTransition.Entry> entries) {
    for (var entry : entries) {
      switch (entry.event()) {
        case "UNDONE" -> compensation("done");
        case "UNDO_FAILED" -> compensation("failed");
        case "STUCK" -> compensation("stuck");
        case "DONE" -> sales.increment(CommitStep.NAME.equals(entry.step()) ? 1 : 0);
        default -> {}
      }
    }
  }

  /// The COMMIT of a turn has an unknown end.
  ///
  /// @param run as it was before that turn
  void lost(CheckoutRun run) {
    if (!isSold(run)) {
      lost.put(run.id(), true);
    }
  }

  /// A run goes on. If a lost turn has made its sale, that is counted now.
  void resumed(CheckoutRun run) {
    if (lost.asMap().remove(run.id()) != null && isSold(run)) {
      sales.increment();
    }
  }

  private static boolean isSold(CheckoutRun run) {
    return run.steps().stream()
        .anyMatch(
            step -> step.name().equals(CommitStep.NAME) && step.state() == StepState.State.DONE);
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
