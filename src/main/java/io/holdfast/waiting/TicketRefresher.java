package io.holdfast.waiting;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.holdfast.pool.Pool;
import io.holdfast.redis.RedisUnavailable;
import io.holdfast.runtime.PeriodicTask;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.StartupTask;
import io.holdfast.waiting.WaitingRoomService.Look;
import io.micronaut.core.annotation.Order;
import io.micronaut.scheduling.TaskExecutors;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Shows listeners what has become of their tickets. Each pool with listeners has rounds, one at a
/// time: one call tells whether anything has changed, then the tickets that are due are looked at,
/// in calls of bounded size, one after the other. So 10,000 listeners take no more of Redis at once
/// than a batch of holds does. A look is also the sign of life of a ticket.
@Singleton
@Order(StartupTask.AFTER_MIGRATIONS)
final class TicketRefresher implements StartupTask {
  private static final Logger LOG = LoggerFactory.getLogger(TicketRefresher.class);

  private static final Duration PAUSE = Duration.ofMillis(250);
  private static final Duration HEARTBEAT = Duration.ofSeconds(15);

  /// A stream ends then, so that the client authenticates again.
  private static final Duration LIFE = Duration.ofMinutes(15);

  /// About a millisecond of Redis' time, during which all other calls wait.
  private static final int TICKETS_PER_CALL = 100;

  /// Pools whose rounds run at once. One whose server does not answer must not delay the others.
  private static final int ROUNDS_MAX = 16;

  /// The state of a pool that Redis has lost. The next look opens the pool.
  private static final String NOT_OPEN = "not open";

  private static final byte[] STILL_HERE = ": still here\n\n".getBytes(UTF_8);

  private final TicketListeners listeners;
  private final WaitingRoomService rooms;
  private final WaitingScripts scripts;
  private final ExecutorService executor;
  private final PeriodicTask task;
  private final Semaphore permits = new Semaphore(ROUNDS_MAX, true);
  private final Set<Pool> inRound = ConcurrentHashMap.newKeySet();
  private long heartbeatAt = System.nanoTime();

  TicketRefresher(
      TicketListeners listeners,
      WaitingRoomService rooms,
      WaitingScripts scripts,
      PeriodicTasks tasks,
      @Named(TaskExecutors.BLOCKING) ExecutorService executor) {
    this.listeners = listeners;
    this.rooms = rooms;
    this.scripts = scripts;
    this.executor = executor;
    this.task = tasks.every("ticket-refresh", PAUSE, this::run);
  }

  @Override
  public void atStart() {
    task.start();
  }

  private void run() {
    listeners.all().stream()
        .collect(Collectors.groupingBy(TicketSubscription::pool))
        .forEach(this::startRound);
    sendHeartbeats();
  }

  /// Does nothing while the previous round of the pool goes on.
  private void startRound(Pool pool, List<TicketSubscription> ofPool) {
    if (inRound.add(pool)) {
      executor.execute(() -> round(pool, ofPool));
    }
  }

  private void round(Pool pool, List<TicketSubscription> ofPool) {
    permits.acquireUninterruptibly();
    try {
      refresh(pool, ofPool);
    } catch (RedisUnavailable e) {
      LOG.debug("Tickets of {} could not be shown; the next round tries again", pool.name(), e);
    } finally {
      permits.release();
      inRound.remove(pool);
    }
  }

  /// Those who have waited longest are first, so that a round that fails disadvantages nobody.
  private void refresh(Pool pool, List<TicketSubscription> ofPool) {
    var state = state(pool);
    var now = System.nanoTime();
    var due =
        ofPool.stream()
            .filter(listener -> listener.schedule().isDue(state, now))
            .sorted(Comparator.comparingLong(listener -> listener.schedule().shownAt() - now))
            .toList();
    for (var start = 0; start < due.size(); start += TICKETS_PER_CALL) {
      var part = due.subList(start, Math.min(due.size(), start + TICKETS_PER_CALL));
      lookAt(pool, part.stream().filter(TicketSubscription::isLive).toList(), state);
    }
  }

  /// The counts of a queue and the lines of the journal change with every change of a ticket.
  private String state(Pool pool) {
    var head = scripts.head(pool.name(), 0);
    return head == null ? NOT_OPEN : head.state();
  }

  /// Returns when all looks have ended.
  private void lookAt(Pool pool, List<TicketSubscription> part, String state) {
    if (part.isEmpty()) {
      return;
    }
    var now = System.nanoTime();
    part.forEach(listener -> listener.schedule().begin(now));
    var looks = rooms.lookAll(pool, part.stream().map(TicketSubscription::ticket).toList());
    var ends = new CompletableFuture<?>[part.size()];
    for (var i = 0; i < ends.length; i++) {
      var listener = part.get(i);
      ends[i] =
          looks
              .get(i)
              .thenAccept(look -> show(listener, look, state, now))
              .exceptionally(failure -> failed(listener, failure))
              .toCompletableFuture();
    }
    CompletableFuture.allOf(ends).join();
  }

  private static void show(TicketSubscription listener, Look look, String state, long now) {
    switch (look) {
      case Look.Shown(var view) -> {
        listener.show(view);
        listener.schedule().shown(view, state, now);
      }
      case Look.NotKnown(), Look.Failed _ ->
          LOG.debug("Ticket {} was not shown ({}); tried again", number(listener), look);
    }
  }

  private static @Nullable Void failed(TicketSubscription listener, Throwable failure) {
    LOG.debug("Ticket {} was not shown; tried again", number(listener), failure);
    return null;
  }

  private static long number(TicketSubscription listener) {
    return listener.ticket().id().number();
  }

  private void sendHeartbeats() {
    var now = System.nanoTime();
    if (now - heartbeatAt < HEARTBEAT.toNanos()) {
      return;
    }
    heartbeatAt = now;
    for (var listener : listeners.all()) {
      if (listener.isOlder(now, LIFE.toNanos())) {
        listener.end();
      } else {
        listener.sendHeartbeat(STILL_HERE);
      }
    }
  }
}
