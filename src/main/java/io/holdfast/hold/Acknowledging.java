package io.holdfast.hold;

import io.holdfast.AtStart;
import io.holdfast.commitment.Outbox;
import io.holdfast.postgres.PostgresUnavailable;
import io.micronaut.core.annotation.Order;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.TaskScheduler;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Crosses out of the outbox what Redis has been told, many at a time. What is not crossed out, for
/// whatever reason, the relay tells Redis again, which changes nothing there.
@Singleton
@Order(Sweeper.AFTER_MIGRATIONS)
final class Acknowledging implements AtStart {
  private static final Logger LOG = LoggerFactory.getLogger(Acknowledging.class);

  private static final Duration PAUSE = Duration.ofMillis(100);
  private static final int WAITING_MAX = 100_000;
  private static final int BATCH = 5_000;

  private final Outbox outbox;
  private final TaskScheduler scheduler;
  private final BlockingQueue<Long> waiting = new LinkedBlockingQueue<>(WAITING_MAX);

  Acknowledging(Outbox outbox, @Named(TaskExecutors.SCHEDULED) TaskScheduler scheduler) {
    this.outbox = outbox;
    this.scheduler = scheduler;
  }

  @Override
  public void atStart() {
    scheduler.scheduleWithFixedDelay(PAUSE, PAUSE, this::crossOut);
  }

  /// Of too many at once some are left to the relay.
  void settled(long id) {
    waiting.offer(id);
  }

  private void crossOut() {
    List<Long> ids = new ArrayList<>();
    while (waiting.drainTo(ids, BATCH) > 0) {
      try {
        outbox.acknowledge(ids);
      } catch (PostgresUnavailable e) {
        LOG.debug("{} settlements are not crossed out; the relay repeats them", ids.size(), e);
        return;
      }
      ids.clear();
    }
  }
}
