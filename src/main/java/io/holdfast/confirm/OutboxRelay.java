package io.holdfast.confirm;

import io.holdfast.commitment.Outbox;
import io.holdfast.commitment.OutboxEntry;
import io.holdfast.hold.pin.RedisSettler;
import io.holdfast.hold.pin.SettleCommand;
import io.holdfast.pool.PoolName;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.PollingTask;
import io.holdfast.runtime.StartupTask;
import io.holdfast.seeding.ItemEntries;
import io.micronaut.core.annotation.Order;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Settles Redis with the outbox entries that were not acknowledged, because a process died or
/// Redis was away. It sends the current state of the hold and its items in Postgres. Every instance
/// does so; settling twice changes nothing.
@Singleton
@Order(StartupTask.AFTER_MIGRATIONS)
public final class OutboxRelay implements StartupTask {
  private static final Logger LOG = LoggerFactory.getLogger(OutboxRelay.class);

  private static final Duration PAUSE = Duration.ofMillis(500);

  /// Pause while nothing is due. `expect` shortens it.
  private static final Duration PAUSE_MAX = Duration.ofSeconds(2);

  private static final Duration MIN_AGE = Duration.ofSeconds(1);
  private static final int BATCH = 500;

  private final Outbox outbox;
  private final RedisSettler settler;
  private final PollingTask polling;

  OutboxRelay(Outbox outbox, RedisSettler settler, PeriodicTasks tasks) {
    this.outbox = outbox;
    this.settler = settler;
    this.polling = new PollingTask(tasks, "outbox-relay", PAUSE, PAUSE_MAX, this::relayAll);
  }

  @Override
  public void atStart() {
    polling.task().start();
  }

  /// An entry of this instance could not be settled.
  void expect() {
    polling.expect(MIN_AGE.plus(PAUSE));
  }

  /// Settles the entries of one pool at once, before the periodic run does.
  public void relay(PoolName pool) {
    while (relay(outbox.due(pool, BATCH)) && !polling.task().isStopping()) {
      LOG.debug("more entries of pool {} are due", pool);
    }
  }

  /// Returns whether something was due.
  private boolean relayAll() {
    var due = outbox.due(MIN_AGE, BATCH);
    var hasFound = !due.isEmpty();
    while (relay(due) && !polling.task().isStopping()) {
      LOG.debug("more entries are due");
      due = outbox.due(MIN_AGE, BATCH);
    }
    return hasFound;
  }

  /// Returns whether there may be more that can be settled now.
  private boolean relay(List<OutboxEntry> due) {
    var settling = due.stream().map(this::settle).toList();
    var settled = new ArrayList<Long>(due.size());
    for (var i = 0; i < due.size(); i++) {
      if (settling.get(i).toCompletableFuture().join()) {
        settled.add(due.get(i).id());
      }
    }
    if (!settled.isEmpty()) {
      outbox.acknowledge(settled);
    }
    return settled.size() == BATCH;
  }

  /// An entry of a hold that is still HELD means that a checkout gave its claim back.
  private CompletionStage<Boolean> settle(OutboxEntry due) {
    var hold = due.hold();
    var entries = ItemEntries.of(due.items());
    return switch (hold.state()) {
      case HELD ->
          settler
              .settle(new SettleCommand(due.pool(), hold.fence(), null, null, entries, null))
              .thenCombine(settler.unclaim(due.pool(), hold), Boolean::logicalAnd);
      case CONFIRMED, RELEASED, EXPIRED ->
          settler.settle(
              new SettleCommand(due.pool(), hold.fence(), hold, null, entries, due.live()));
    };
  }
}
