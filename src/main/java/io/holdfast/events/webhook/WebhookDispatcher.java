package io.holdfast.events.webhook;

import io.holdfast.events.EventSequencer;
import io.holdfast.events.webhook.DeliveryCursors.Lane;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.runtime.PeriodicTask;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.StartupTask;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Gives new events their place and starts whatever lanes have something to tell, round after
/// round, for as long as the service runs. Each lane has a thread, and each webhook has only so
/// many of them: one whose receiver is slow takes nothing from the others.
@Singleton
final class WebhookDispatcher implements StartupTask {
  private static final Logger LOG = LoggerFactory.getLogger(WebhookDispatcher.class);

  /// Each round that finds something waits for the disk once, as sales do: better few with many.
  private static final Duration PAUSE_MIN = Duration.ofMillis(50);

  private static final Duration PAUSE_MAX = Duration.ofMillis(100);

  /// While no webhook is ours: whoever reads events has what waits numbered first, and sales pay
  /// less for it.
  private static final Duration PAUSE_UNHEARD = Duration.ofSeconds(1);

  /// While there are no new events either.
  private static final Duration PAUSE_IDLE = Duration.ofSeconds(2);

  private static final Duration END_PATIENCE = Duration.ofSeconds(5);

  private final EventSequencer numbering;
  private final WebhookLeases owned;
  private final DeliveryCursors lanes;
  private final LaneDelivery laneRun;
  private final DeliveryMeters meters;
  private final PeriodicTask task;
  private final int lanesMax;
  private final Map<Long, Semaphore> permits = new ConcurrentHashMap<>();
  private final Map<Lane, Thread> running = new ConcurrentHashMap<>();
  private Duration pause = PAUSE_MIN;

  WebhookDispatcher(
      EventSequencer numbering,
      WebhookLeases owned,
      DeliveryCursors lanes,
      LaneDelivery laneRun,
      DeliveryMeters meters,
      WebhookSettings settings,
      PeriodicTasks tasks) {
    this.numbering = numbering;
    this.owned = owned;
    this.lanes = lanes;
    this.laneRun = laneRun;
    this.meters = meters;
    this.lanesMax = settings.lanes();
    this.task = tasks.selfPaced("event-dispatch", this::round).onStop(this::finish);
  }

  @Override
  public void atStart() {
    owned.onChange(task::wake);
    task.start();
  }

  /// Waits for the deliveries under way, then lets another instance take over at once.
  private void finish() {
    var deadline = System.nanoTime() + END_PATIENCE.toNanos();
    try {
      for (var thread : running.values()) {
        thread.join(Duration.ofNanos(Math.max(1, deadline - System.nanoTime())));
      }
      owned.giveBack();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /// Returns how long to wait for the next round.
  private Duration round() {
    var isBusy = turn();
    var doubled = pause.multipliedBy(2);
    pause = isBusy ? PAUSE_MIN : doubled.compareTo(PAUSE_MAX) < 0 ? doubled : PAUSE_MAX;
    var unheard = isBusy ? PAUSE_UNHEARD : PAUSE_IDLE;
    return owned.now().isEmpty() ? unheard : pause;
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
      laneRun.run(webhook, lane.pool(), () -> !task.isStopping() && owned.has(webhook.id()));
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
