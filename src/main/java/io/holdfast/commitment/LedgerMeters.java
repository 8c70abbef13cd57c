package io.holdfast.commitment;

import io.holdfast.pool.StoredOutcome;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import jakarta.inject.Singleton;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/// Metrics of the ledger.
@Singleton
public final class LedgerMeters {
  private final MeterRegistry meters;
  private final Timer confirms;
  private final Timer connections;
  private final Counter stale;
  private final DistributionSummary batches;

  public LedgerMeters(MeterRegistry meters) {
    this.meters = meters;
    confirms =
        Timer.builder("holdfast.confirm.duration")
            .description("From a request to sell to what Postgres has made of it")
            .publishPercentileHistogram()
            .register(meters);
    connections =
        Timer.builder("holdfast.db.connection.hold")
            .description("How long transactions of sales keep a connection")
            .register(meters);
    stale =
        Counter.builder("holdfast.fence.rejected")
            .description("Requests refused because of a newer fence")
            .register(meters);
    batches =
        DistributionSummary.builder("holdfast.confirm.batch")
            .description("Requests to sell that shared a transaction")
            .register(meters);
  }

  public void queueIs(IntSupplier depth) {
    Gauge.builder("holdfast.queue.depth", depth, IntSupplier::getAsInt)
        .description("Requests that wait or are under way")
        .strongReference(true) // the registry holds the only reference to the supplier
        .tag("queue", "confirm")
        .register(meters);
  }

  public void confirmed(long nanos, CommitOutcome outcome) {
    confirms.record(nanos, TimeUnit.NANOSECONDS);
    if (outcome instanceof CommitOutcome.Refused(var refusal, var isReplay)
        && !isReplay
        && refusal == StoredOutcome.Reason.STALE_FENCE) {
      stale.increment();
    }
  }

  public void connectionHeld(long nanos) {
    connections.record(nanos, TimeUnit.NANOSECONDS);
  }

  public void batched(int size) {
    batches.record(size);
  }
}
