package io.holdfast.commitment;

import io.holdfast.AtStart;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.postgres.Transactions;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.TaskScheduler;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Takes the second look at sales whose process died before it could, on every instance: looking
/// twice does no harm.
@Singleton
final class LateLooks implements AtStart {
  private static final Logger LOG = LoggerFactory.getLogger(LateLooks.class);
  private static final Duration PERIOD = Duration.ofSeconds(5);
  private static final Duration LEFT_BEHIND = Duration.ofSeconds(2);
  private static final int BATCH = 500;

  private final Outbox outbox;
  private final Verifier verifier;
  private final Transactions transactions;
  private final TaskScheduler scheduler;

  LateLooks(
      Outbox outbox,
      Verifier verifier,
      Transactions transactions,
      @Named(TaskExecutors.SCHEDULED) TaskScheduler scheduler) {
    this.outbox = outbox;
    this.verifier = verifier;
    this.transactions = transactions;
    this.scheduler = scheduler;
  }

  @Override
  public void atStart() {
    scheduler.scheduleWithFixedDelay(Duration.ZERO, PERIOD, this::run);
  }

  private void run() {
    try {
      var looked = look(LEFT_BEHIND);
      if (looked > 0) {
        LOG.info("Sales that were looked at a second time after their process died: {}", looked);
      }
    } catch (PostgresUnavailable e) {
      LOG.debug("no late looks while Postgres is away", e);
    }
  }

  /// Returns how many there were.
  int look(Duration olderThan) {
    var left = outbox.unverified(olderThan, BATCH);
    transactions.read(connection -> verifier.failed(connection, left));
    return left.size();
  }
}
