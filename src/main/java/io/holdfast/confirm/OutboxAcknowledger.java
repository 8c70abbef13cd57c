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

/// Acknowledges outbox entries that Redis has applied, in batches. The relay settles the other
/// entries again, which changes nothing in Redis.
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
    this.task = new OnDemandTask(tasks, "outbox-acknowledge", PAUSE, this::acknowledgeAll);
  }

  @Override
  public void atStart() {
    task.task().start();
  }

  /// If too many entries wait, the relay settles this one again.
  void acknowledge(long id) {
    if (waiting.offer(id)) {
      task.workArrived();
    }
  }

  /// An entry could not be settled; the relay settles it soon.
  void expectRelay() {
    relay.expect();
  }

  /// If Postgres fails, the relay settles this batch again, and the next run continues.
  private boolean acknowledgeAll() {
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
