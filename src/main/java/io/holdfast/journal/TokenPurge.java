package io.holdfast.journal;

import io.holdfast.journal.store.TokenRows;
import io.holdfast.postgres.Leases;
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

/// Deletes the outcomes of tokens whose window has elapsed, on one instance at a time, in small
/// batches. What happened stays in the journal.
@Singleton
final class TokenPurge implements StartupTask {
  private static final Logger LOG = LoggerFactory.getLogger(TokenPurge.class);
  private static final Duration PERIOD = Duration.ofSeconds(10);
  private static final Duration LEASE_FOR = PERIOD.multipliedBy(3);

  /// The clocks of Redis, which set the window, and of Postgres, which ends it here, may differ.
  private static final Duration MARGIN = Duration.ofMinutes(1);

  private static final int BATCH = 2_000;
  private static final int BATCHES_MAX = 500;

  /// Beyond this, entries come faster than they go: somebody should know before the disk does.
  static final Duration OVERDUE_MAX = MARGIN.plus(PERIOD.multipliedBy(6));

  private final TokenRows tokens;
  private final Leases leases;
  private final InstanceId instance;
  private final PeriodicTask task;
  private final Counter purged;
  private final FailureLog backlog =
      new FailureLog(
          LOG,
          "Tokens elapse faster than they are purged, so token_result grows",
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
      look();
    }
  }

  private void purge() {
    for (var batch = 0; batch < BATCHES_MAX && !task.isStopping(); batch++) {
      var gone = tokens.purge(MARGIN, BATCH);
      purged.increment(gone);
      if (gone < BATCH) {
        return;
      }
    }
  }

  private void look() {
    overdue = tokens.overdue();
    if (overdue.compareTo(OVERDUE_MAX) > 0) {
      var age = "the oldest elapsed %d s ago".formatted(overdue.toSeconds());
      backlog.has("token_result", new IllegalStateException(age));
    } else {
      backlog.hasNot("token_result");
    }
  }
}
