package io.holdfast.idempotency.store;

import io.holdfast.runtime.OnDemandTask;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.StartupTask;
import jakarta.inject.Singleton;
import java.time.Duration;

/// Stores the counted replays of this instance while there are any, and once more at the stop.
@Singleton
final class ReplayTask implements StartupTask {
  /// An instance that is killed loses the replays of this time.
  private static final Duration PERIOD = Duration.ofMillis(250);

  private final OnDemandTask task;

  ReplayTask(ReplayLog replays, PeriodicTasks tasks) {
    task = new OnDemandTask(tasks, "replay-log", PERIOD, replays::store);
    task.task().onStop(replays::store);
    replays.onArrival(task::workArrived);
  }

  @Override
  public void atStart() {
    task.task().start();
  }
}
