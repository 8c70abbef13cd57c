package io.holdfast.events.webhook;

import io.holdfast.runtime.PeriodicTask;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.StartupTask;
import jakarta.inject.Singleton;
import java.time.Duration;

/// Deletes tries from the log that have been kept for long enough. Several instances may do it at
/// once.
@Singleton
final class DeliveryLogPurge implements StartupTask {
  private static final Duration PERIOD = Duration.ofSeconds(10);
  private static final int BATCH = 5_000;
  private static final int BATCHES_MAX = 20;

  private final DeliveryLog log;
  private final WebhookSettings settings;
  private final PeriodicTask task;

  DeliveryLogPurge(DeliveryLog log, WebhookSettings settings, PeriodicTasks tasks) {
    this.log = log;
    this.settings = settings;
    this.task = tasks.every("delivery-log-purge", PERIOD, this::run);
  }

  @Override
  public void atStart() {
    task.start();
  }

  private void run() {
    for (var batch = 0; batch < BATCHES_MAX && !task.isStopping(); batch++) {
      if (log.purge(settings.keepLog(), BATCH) < BATCH) {
        return;
      }
    }
  }
}
