package io.holdfast.hold;

import io.holdfast.AtStart;
import io.holdfast.commitment.Due;
import io.holdfast.commitment.Outbox;
import io.holdfast.postgres.PostgresUnavailable;
import io.micronaut.core.annotation.Order;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.TaskScheduler;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Tells Redis what it has not been told because a process died, or because Redis was away: how the
/// holds and items in the outbox stand in Postgres by now. Every instance does; a second telling
/// changes nothing.
@Singleton
@Order(Sweeper.AFTER_MIGRATIONS)
final class Relay implements AtStart {
  private static final Logger LOG = LoggerFactory.getLogger(Relay.class);

  private static final Duration PAUSE = Duration.ofMillis(500);
  private static final Duration LEFT_TO_ITS_CALL = Duration.ofSeconds(1);
  private static final int BATCH = 500;

  private final Outbox outbox;
  private final Settling settling;
  private final TaskScheduler scheduler;

  Relay(Outbox outbox, Settling settling, @Named(TaskExecutors.SCHEDULED) TaskScheduler scheduler) {
    this.outbox = outbox;
    this.settling = settling;
    this.scheduler = scheduler;
  }

  @Override
  public void atStart() {
    scheduler.scheduleWithFixedDelay(PAUSE, PAUSE, this::relayOrWait);
  }

  private void relayOrWait() {
    try {
      while (relay()) {
        LOG.debug("more is due");
      }
    } catch (PostgresUnavailable e) {
      LOG.debug("nothing can be relayed", e);
    } catch (RuntimeException e) { // or it would never be called again
      LOG.error("What Redis has to be told could not be told; it is tried again", e);
    }
  }

  /// Whether there may be more that can be told now.
  private boolean relay() {
    var due = outbox.due(LEFT_TO_ITS_CALL, BATCH);
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
  private CompletionStage<Boolean> tell(Due due) {
    var hold = due.hold();
    var entries = Settlement.entries(due.items());
    return switch (hold.state()) {
      case HELD ->
          settling
              .settle(new Settlement(due.pool(), hold.fence(), null, null, entries))
              .thenCombine(settling.unclaim(due.pool(), hold), Boolean::logicalAnd);
      case CONFIRMED, RELEASED, EXPIRED ->
          settling.settle(new Settlement(due.pool(), hold.fence(), hold, null, entries));
    };
  }
}
