package io.holdfast.events;

import io.holdfast.AtStart;
import io.holdfast.events.Lanes.Lane;
import io.holdfast.postgres.PostgresUnavailable;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.TaskScheduler;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Gives new events their place and starts whatever lanes have something to tell, round after
/// round, for as long as the service runs. Each lane has a thread, and each webhook has only so
/// many of them: one whose receiver is slow takes nothing from the others.
@Singleton
final class Dispatcher implements AtStart, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);

  /// Each round that finds something waits for the disk once, as sales do: better few with many.
  private static final Duration PAUSE_MIN = Duration.ofMillis(50);

  private static final Duration PAUSE_MAX = Duration.ofMillis(100);

  /// While no webhook is ours: whoever reads events has what waits numbered first, and sales pay
  /// less for it.
  private static final Duration PAUSE_UNHEARD = Duration.ofSeconds(1);

  private static final Duration PAUSE_IN_TROUBLE = Duration.ofSeconds(1);
  private static final Duration END_PATIENCE = Duration.ofSeconds(5);

  private final Numbering numbering;
  private final Owned owned;
  private final Lanes lanes;
  private final LaneRun laneRun;
  private final DeliveryMeters meters;
  private final TaskScheduler scheduler;
  private final int lanesMax;
  private final Map<Long, Semaphore> permits = new ConcurrentHashMap<>();
  private final Map<Lane, Thread> running = new ConcurrentHashMap<>();
  private final ReentrantLock working = new ReentrantLock();
  private volatile boolean isClosed;
  private boolean isTroubled;
  private Duration pause = PAUSE_MIN;

  Dispatcher(
      Numbering numbering,
      Owned owned,
      Lanes lanes,
      LaneRun laneRun,
      DeliveryMeters meters,
      WebhookSettings settings,
      @Named(TaskExecutors.SCHEDULED) TaskScheduler scheduler) {
    this.numbering = numbering;
    this.owned = owned;
    this.lanes = lanes;
    this.laneRun = laneRun;
    this.meters = meters;
    this.lanesMax = settings.lanes();
    this.scheduler = scheduler;
  }

  @Override
  public void atStart() {
    scheduler.schedule(Duration.ZERO, this::round);
  }

  /// Ends after the deliveries that are under way, and lets another instance take over at once.
  @Override
  public void close() {
    isClosed = true;
    var deadline = System.nanoTime() + END_PATIENCE.toNanos();
    try {
      if (!working.tryLock(END_PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
        return;
      }
      for (var thread : running.values()) {
        thread.join(Duration.ofNanos(Math.max(1, deadline - System.nanoTime())));
      }
      owned.giveBack();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (PostgresUnavailable e) {
      LOG.debug("the leases of webhooks were not given back, they end by themselves", e);
    }
  }

  private void round() {
    working.lock();
    try {
      if (isClosed) {
        return;
      }
      pause = survive();
    } finally {
      working.unlock();
    }
    scheduler.schedule(pause, this::round);
  }

  /// The one place that survives whatever happens. Returns how long to wait for the next round.
  private Duration survive() {
    try {
      var isBusy = turn();
      if (isTroubled) {
        LOG.info("Events are brought to webhooks again");
        isTroubled = false;
      }
      if (owned.now().isEmpty()) {
        return PAUSE_UNHEARD;
      }
      var doubled = pause.multipliedBy(2);
      return isBusy ? PAUSE_MIN : doubled.compareTo(PAUSE_MAX) < 0 ? doubled : PAUSE_MAX;
    } catch (PostgresUnavailable e) {
      LOG.debug("events wait for Postgres", e);
      return PAUSE_IN_TROUBLE;
    } catch (RuntimeException e) { // or nobody would ever be told again
      if (!isTroubled) {
        LOG.error("Events cannot be told; it is tried again", e);
        isTroubled = true;
      }
      return PAUSE_IN_TROUBLE;
    }
  }

  private boolean turn() {
    var count = numbering.some();
    meters.numbered(count);
    var ours = owned.now();
    var due = ours.isEmpty() ? 0 : start(ours);
    return count > 0 || due > 0;
  }

  private int start(Map<Long, Webhook> ours) {
    var started = 0;
    for (var lane : lanes.due(withThreads(ours.keySet()))) {
      var permit = permits.get(lane.webhookId());
      if (!running.containsKey(lane) && permit.tryAcquire()) {
        started++;
        start(ours.get(lane.webhookId()), lane, permit);
      }
    }
    return started;
  }

  /// One that has no thread to spare must not fill the list of what is due.
  private List<Long> withThreads(Set<Long> webhooks) {
    return webhooks.stream()
        .filter(
            id -> permits.computeIfAbsent(id, _ -> new Semaphore(lanesMax)).availablePermits() > 0)
        .toList();
  }

  private void start(Webhook webhook, Lane lane, Semaphore permit) {
    var thread =
        Thread.ofVirtual().name("webhook-" + lane).unstarted(() -> run(webhook, lane, permit));
    running.put(lane, thread);
    thread.start();
  }

  private void run(Webhook webhook, Lane lane, Semaphore permit) {
    try {
      laneRun.run(webhook, lane.pool(), () -> !isClosed && owned.has(webhook.id()));
    } catch (PostgresUnavailable e) {
      LOG.debug("webhook {} waits for Postgres", webhook.id(), e);
    } catch (RuntimeException e) {
      LOG.warn("Webhook {} could not be told of pool {}", webhook.id(), lane.pool(), e);
    } finally {
      running.remove(lane);
      permit.release();
    }
  }
}
