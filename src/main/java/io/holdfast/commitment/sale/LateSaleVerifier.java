package io.holdfast.commitment.sale;

import io.holdfast.commitment.Outbox;
import io.holdfast.postgres.Transactions;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.StartupTask;
import jakarta.inject.Singleton;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Verifies sales whose process died before their verification. Every instance does this; a
/// repeated verification has no effect.
@Singleton
public final class LateSaleVerifier implements StartupTask {
  private static final Logger LOG = LoggerFactory.getLogger(LateSaleVerifier.class);
  private static final Duration PERIOD = Duration.ofSeconds(5);
  private static final Duration LEFT_BEHIND = Duration.ofSeconds(2);
  private static final int BATCH = 500;

  private final Outbox outbox;
  private final SaleVerifier verifier;
  private final Transactions transactions;
  private final PeriodicTasks tasks;

  LateSaleVerifier(
      Outbox outbox, SaleVerifier verifier, Transactions transactions, PeriodicTasks tasks) {
    this.outbox = outbox;
    this.verifier = verifier;
    this.transactions = transactions;
    this.tasks = tasks;
  }

  @Override
  public void atStart() {
    var task = tasks.every("late-sale-verify", PERIOD, this::run);
    task.wake(); // sales of the previous process may wait
    task.start();
  }

  private void run() {
    var verified = verify(LEFT_BEHIND);
    if (verified > 0) {
      LOG.info("Verified {} sales of processes that ended before they did so", verified);
    }
  }

  /// Returns how many sales were verified.
  int verify(Duration olderThan) {
    var left = outbox.unverified(olderThan, BATCH);
    transactions.read(connection -> verifier.failed(connection, left));
    return left.size();
  }
}
