package io.holdfast.journal;

import io.holdfast.journal.store.TokenRows;
import io.holdfast.postgres.Leases;
import io.holdfast.runtime.FailureLog;
import io.holdfast.runtime.InstanceId;
import io.holdfast.runtime.PeriodicTask;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.StartupTask;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.inject.Singleton;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Deletes the outcomes of tokens whose window has elapsed, on one instance at a time and in small
/// batches. The journal keeps the history.
@Singleton
final class TokenPurge implements StartupTask {
  private static final Logger LOG = LoggerFactory.getLogger(TokenPurge.class);
  private static final Duration PERIOD = Duration.ofSeconds(10);
  private static final Duration LEASE_FOR = PERIOD.multipliedBy(3);

  /// Redis sets the window and Postgres checks it here; their clocks may differ.
  private static final Duration MARGIN = Duration.ofMinutes(1);

  private static final int BATCH = 2_000;
  private static final int BATCHES_MAX = 500;

  /// Beyond this, rows are added faster than they are deleted, which is logged.
  static final Duration OVERDUE_MAX = MARGIN.plus(PERIOD.multipliedBy(6));

  private final TokenRows tokens;
  private final Leases leases;
  private final InstanceId instance;
  private final PeriodicTask task;
  private final Counter purged;
  private final FailureLog backlog =
      new FailureLog(
          LOG,
          "Tokens elapse faster than they are purged; token_result grows",
          "Elapsed tokens are purged in time again");
  private volatile Duration overdue = Duration.ZERO;

  TokenPurge(
      TokenRows tokens,
      Leases leases,
      InstanceId instance,
      PeriodicTasks tasks,
      MeterRegistry meters) {
    this.tokens = tokens;
    this.leases = leases;
    this.instance = instance;
    this.task = tasks.every("token-purge", PERIOD, this::run);
    this.purged =
        Counter.builder("holdfast.tokens.purged")
            .description("Outcomes of tokens that were deleted after their window")
            .register(meters);
    Gauge.builder("holdfast.tokens.overdue.seconds", () -> overdue.toMillis() / 1_000.0)
        .description("How long the oldest outcome in Postgres has outlived its window")
        .register(meters);
  }

  @Override
  public void atStart() {
    task.start();
  }

  void run() {
    if (leases.take("purge", instance.name(), LEASE_FOR)) {
      purge();
      checkBacklog();
    }
  }

  private void purge() {
    for (var batch = 0; batch < BATCHES_MAX && !task.isStopping(); batch++) {
      var deleted = tokens.purge(MARGIN, BATCH);
      purged.increment(deleted);
      if (deleted < BATCH) {
        return;
      }
    }
  }

  private void checkBacklog() {
    overdue = tokens.overdue();
    if (overdue.compareTo(OVERDUE_MAX) > 0) {
      var age = "the oldest elapsed %d s ago".formatted(overdue.toSeconds());
      backlog.failed("token_result", new IllegalStateException(age));
    } else {
      backlog.succeeded("token_result");
    }
  }
}
