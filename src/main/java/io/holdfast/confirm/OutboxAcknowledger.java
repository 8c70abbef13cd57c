package io.holdfast.confirm;

import io.holdfast.commitment.Outbox;
import io.holdfast.runtime.OnDemandTask;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.StartupTask;
import io.micronaut.core.annotation.Order;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/// Crosses out of the outbox what Redis has been told, many at a time. What is not crossed out, for
/// whatever reason, the relay tells Redis again, which changes nothing there.
@Singleton
@Order(StartupTask.AFTER_MIGRATIONS)
final class OutboxAcknowledger implements StartupTask {
  private static final Duration PAUSE = Duration.ofMillis(100);
  private static final int WAITING_MAX = 100_000;
  private static final int BATCH = 5_000;

  private final Outbox outbox;
  private final OutboxRelay relay;
  private final OnDemandTask task;
  private final BlockingQueue<Long> waiting = new LinkedBlockingQueue<>(WAITING_MAX);

  OutboxAcknowledger(Outbox outbox, OutboxRelay relay, PeriodicTasks tasks) {
    this.outbox = outbox;
    this.relay = relay;
    this.task = new OnDemandTask(tasks, "outbox-acknowledge", PAUSE, this::crossOut);
  }

  @Override
  public void atStart() {
    task.task().start();
  }

  /// Of too many at once some are left to the relay.
  void settled(long id) {
    if (waiting.offer(id)) {
      task.workArrived();
    }
  }

  /// Redis could not be told; the relay does so as soon as it can.
  void missed() {
    relay.expect();
  }

  /// If Postgres fails, the relay settles this batch again; the next run goes on with the others.
  private boolean crossOut() {
    var hadSome = false;
    List<Long> ids = new ArrayList<>();
    while (waiting.drainTo(ids, BATCH) > 0) {
      hadSome = true;
      outbox.acknowledge(ids);
      ids.clear();
    }
    return hadSome;
  }
}
