package io.holdfast.confirm;

import io.holdfast.commitment.Outbox;
import io.holdfast.commitment.OutboxEntry;
import io.holdfast.hold.pin.RedisSettler;
import io.holdfast.hold.pin.SettleCommand;
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

/// Tells Redis what it has not been told because a process died, or because Redis was away: how the
/// holds and items in the outbox stand in Postgres by now. Every instance does; a second telling
/// changes nothing.
@Singleton
@Order(StartupTask.AFTER_MIGRATIONS)
final class OutboxRelay implements StartupTask {
  private static final Logger LOG = LoggerFactory.getLogger(OutboxRelay.class);

  private static final Duration PAUSE = Duration.ofMillis(500);

  /// While nothing is found: of what this instance could not tell, the relay is told.
  private static final Duration PAUSE_MAX = Duration.ofSeconds(2);

  private static final Duration LEFT_TO_ITS_CALL = Duration.ofSeconds(1);
  private static final int BATCH = 500;

  private final Outbox outbox;
  private final RedisSettler settling;
  private final PollingTask polling;

  OutboxRelay(Outbox outbox, RedisSettler settling, PeriodicTasks tasks) {
    this.outbox = outbox;
    this.settling = settling;
    this.polling = new PollingTask(tasks, "outbox-relay", PAUSE, PAUSE_MAX, this::relayAll);
  }

  @Override
  public void atStart() {
    polling.task().start();
  }

  /// This instance could not tell Redis of something in the outbox.
  void expect() {
    polling.expect(LEFT_TO_ITS_CALL.plus(PAUSE));
  }

  /// Whether something was due, told or not.
  private boolean relayAll() {
    var due = outbox.due(LEFT_TO_ITS_CALL, BATCH);
    var hasFound = !due.isEmpty();
    while (relay(due) && !polling.task().isStopping()) {
      LOG.debug("more is due");
      due = outbox.due(LEFT_TO_ITS_CALL, BATCH);
    }
    return hasFound;
  }

  /// Whether there may be more that can be told now.
  private boolean relay(List<OutboxEntry> due) {
    var tellings = new ArrayList<CompletionStage<Boolean>>(due.size());
    due.forEach(one -> tellings.add(tell(one)));
    var told = new ArrayList<Long>(due.size());
    for (var i = 0; i < due.size(); i++) {
      if (tellings.get(i).toCompletableFuture().join()) {
        told.add(due.get(i).id());
      }
    }
    if (!told.isEmpty()) {
      outbox.acknowledge(told);
    }
    return told.size() == BATCH;
  }

  /// A hold that is here and has not ended was claimed, and given back.
  private CompletionStage<Boolean> tell(OutboxEntry due) {
    var hold = due.hold();
    var entries = ItemEntries.of(due.items());
    return switch (hold.state()) {
      case HELD ->
          settling
              .settle(new SettleCommand(due.pool(), hold.fence(), null, null, entries))
              .thenCombine(settling.unclaim(due.pool(), hold), Boolean::logicalAnd);
      case CONFIRMED, RELEASED, EXPIRED ->
          settling.settle(new SettleCommand(due.pool(), hold.fence(), hold, null, entries));
    };
  }
}
