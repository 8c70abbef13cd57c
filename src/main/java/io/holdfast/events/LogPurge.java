package io.holdfast.events;

import io.holdfast.AtStart;
import io.holdfast.postgres.PostgresUnavailable;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.TaskScheduler;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Deletes tries from the log that have been kept for long enough. Several instances may do it at
/// once.
@Singleton
final class LogPurge implements AtStart {
  private static final Logger LOG = LoggerFactory.getLogger(LogPurge.class);
  private static final Duration PERIOD = Duration.ofSeconds(10);
  private static final int BATCH = 5_000;
  private static final int BATCHES_MAX = 20;

  private final DeliveryLog log;
  private final WebhookSettings settings;
  private final TaskScheduler scheduler;

  LogPurge(
      DeliveryLog log,
      WebhookSettings settings,
      @Named(TaskExecutors.SCHEDULED) TaskScheduler scheduler) {
    this.log = log;
    this.settings = settings;
    this.scheduler = scheduler;
  }

  @Override
  public void atStart() {
    scheduler.scheduleWithFixedDelay(PERIOD, PERIOD, this::run);
  }

  void run() {
    try {
      for (var batch = 0; batch < BATCHES_MAX; batch++) {
        if (log.purge(settings.keepLog(), BATCH) < BATCH) {
          return;
        }
      }
    } catch (PostgresUnavailable e) {
      LOG.debug("Old tries stay until Postgres is back", e);
    }
  }
}
