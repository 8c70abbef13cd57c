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

/// Numbers new events and starts a delivery for every lane that is due, in rounds. Each running
/// lane has a virtual thread, and each webhook has a bounded number of them, so a slow receiver
/// does not delay other webhooks.
@Singleton
final class WebhookDispatcher implements StartupTask {
  private static final Logger LOG = LoggerFactory.getLogger(WebhookDispatcher.class);

  /// Each round with events costs one disk flush, which sales compete for; few large rounds are
  /// better.
  private static final Duration PAUSE_MIN = Duration.ofMillis(50);

  private static final Duration PAUSE_MAX = Duration.ofMillis(100);

  /// Without a leased webhook: readers number waiting events themselves, so rounds can be rare.
  private static final Duration PAUSE_WITHOUT_WEBHOOKS = Duration.ofSeconds(1);

  /// Without a leased webhook and without new events.
  private static final Duration PAUSE_IDLE = Duration.ofSeconds(2);

  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(5);

  private final EventSequencer sequencer;
  private final WebhookLeases leases;
  private final DeliveryCursors cursors;
  private final LaneDelivery delivery;
  private final DeliveryMeters meters;
  private final PeriodicTask task;
  private final int lanesMax;
  private final Map<Long, Semaphore> permits = new ConcurrentHashMap<>();
  private final Map<Lane, Thread> running = new ConcurrentHashMap<>();
  private Duration pause = PAUSE_MIN;

  WebhookDispatcher(
      EventSequencer sequencer,
      WebhookLeases leases,
      DeliveryCursors cursors,
      LaneDelivery delivery,
      DeliveryMeters meters,
      WebhookSettings settings,
      PeriodicTasks tasks) {
    this.sequencer = sequencer;
    this.leases = leases;
    this.cursors = cursors;
    this.delivery = delivery;
    this.meters = meters;
    this.lanesMax = settings.lanes();
    this.task = tasks.selfPaced("event-dispatch", this::round).onStop(this::stop);
  }

  @Override
  public void atStart() {
    leases.onChange(task::wake);
    task.start();
  }

  /// Waits for running deliveries, then releases the leases so that another instance takes over.
  private void stop() {
    var deadline = System.nanoTime() + STOP_TIMEOUT.toNanos();
    try {
      for (var thread : running.values()) {
        thread.join(Duration.ofNanos(Math.max(1, deadline - System.nanoTime())));
      }
      leases.release();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /// Returns the pause until the next round.
  private Duration round() {
    var numbered = sequencer.numberCommitted();
    meters.numbered(numbered);
    var started = startDueLanes(leases.current());
    return pauseAfter(numbered > 0 || started > 0);
  }

  private Duration pauseAfter(boolean isBusy) {
    var doubled = pause.multipliedBy(2);
    pause = isBusy ? PAUSE_MIN : doubled.compareTo(PAUSE_MAX) < 0 ? doubled : PAUSE_MAX;
    if (leases.current().isEmpty()) {
      return isBusy ? PAUSE_WITHOUT_WEBHOOKS : PAUSE_IDLE;
    }
    return pause;
  }

  private int startDueLanes(Map<Long, Webhook> webhooks) {
    if (webhooks.isEmpty()) {
      return 0;
    }
    var started = 0;
    for (var lane : cursors.due(withFreePermits(webhooks.keySet()))) {
      var permit = permits.get(lane.webhookId());
      if (!running.containsKey(lane) && permit.tryAcquire()) {
        started++;
        start(lane, permit);
      }
    }
    return started;
  }

  /// The lanes of a webhook without a free permit must not fill the bounded list of due lanes.
  private List<Long> withFreePermits(Set<Long> webhooks) {
    return webhooks.stream()
        .filter(
            id -> permits.computeIfAbsent(id, _ -> new Semaphore(lanesMax)).availablePermits() > 0)
        .toList();
  }

  private void start(Lane lane, Semaphore permit) {
    var thread = Thread.ofVirtual().name("webhook-" + lane).unstarted(() -> deliver(lane, permit));
    running.put(lane, thread);
    thread.start();
  }

  private void deliver(Lane lane, Semaphore permit) {
    try {
      delivery.run(
          lane.webhookId(),
          lane.pool(),
          () -> task.isStopping() ? null : leases.find(lane.webhookId()));
    } catch (PostgresUnavailable e) {
      LOG.debug("Deliveries to webhook {} wait for Postgres", lane.webhookId(), e);
    } catch (RuntimeException e) {
      LOG.warn(
          "Events of pool {} could not be delivered to webhook {}; trying again",
          lane.pool(),
          lane.webhookId(),
          e);
    } finally {
      running.remove(lane);
      permit.release();
    }
  }
}
