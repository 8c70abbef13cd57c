package io.holdfast.events.webhook;

import io.holdfast.events.EventReader;
import io.holdfast.events.StoredEvent;
import io.holdfast.events.webhook.DeliveryCursors.Lane;
import io.holdfast.events.webhook.DeliveryCursors.Position;
import io.holdfast.events.webhook.DeliveryOutcome.Delivered;
import io.holdfast.events.webhook.DeliveryOutcome.Failed;
import io.holdfast.events.webhook.DeliveryOutcome.Gone;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Delivers the events of one pool to one webhook, one at a time and in order. A failed event stops
/// the lane until it is delivered or the webhook is disabled, so no event is skipped. Events that
/// were delivered but not yet recorded when the process dies are sent again under the same id.
@Singleton
final class LaneDelivery {
  private static final Logger LOG = LoggerFactory.getLogger(LaneDelivery.class);
  private static final int BATCH = 200;

  /// Bounds how many events are sent again after a crash.
  private static final Duration BATCH_TIME_MAX = Duration.ofSeconds(1);

  private final EventReader events;
  private final WebhookSender sender;
  private final DeliveryCursors cursors;
  private final WebhookLeases leases;
  private final DeliveryMeters meters;
  private final RetrySchedule schedule;

  LaneDelivery(
      EventReader events,
      WebhookSender sender,
      DeliveryCursors cursors,
      WebhookLeases leases,
      DeliveryMeters meters,
      WebhookSettings settings) {
    this.events = events;
    this.sender = sender;
    this.cursors = cursors;
    this.leases = leases;
    this.meters = meters;
    this.schedule =
        new RetrySchedule(settings.retries(), () -> ThreadLocalRandom.current().nextDouble());
  }

  /// Runs until all events are delivered, a delivery fails, or the lease is lost.
  ///
  /// @param leased the webhook as it is now; null without its lease
  void run(long webhookId, String pool, Supplier<@Nullable Webhook> leased) {
    var lane = new Lane(webhookId, pool);
    var webhook = leased.get();
    while (webhook != null && deliverBatch(webhook, lane, () -> leased.get() != null)) {
      webhook = leased.get();
    }
  }

  /// Returns whether there may be more events to deliver now.
  private boolean deliverBatch(Webhook webhook, Lane lane, BooleanSupplier isLeased) {
    var cursor = cursors.find(lane);
    if (!cursor.isDue()) {
      return false;
    }
    var batch = new Batch(webhook, lane, cursor.position(), cursor.now());
    var next = events.read(lane.pool(), cursor.position().sequence(), BATCH);
    if (next.isEmpty()) {
      batch.skipTo(cursor.head());
    }
    for (var event : next) {
      if (!batch.deliver(event) || !isLeased.getAsBoolean() || batch.isOutOfTime()) {
        break;
      }
    }
    return batch.record();
  }

  /// The deliveries that are recorded together in one transaction.
  private final class Batch {
    private final Webhook webhook;
    private final Lane lane;
    private final Position from;
    private final Instant start;
    private final long startNanos = System.nanoTime();
    private final ArrayList<DeliveryAttempt> attempts = new ArrayList<>();
    private Position to;
    private Duration pause = Duration.ZERO;
    private @Nullable String disableReason;

    Batch(Webhook webhook, Lane lane, Position from, Instant start) {
      this.webhook = webhook;
      this.lane = lane;
      this.from = from;
      this.to = from;
      this.start = start;
    }

    /// The events up to this one were dropped, because they were old when the webhook was disabled,
    /// or when a replay began with them. The lane would be due for ever.
    void skipTo(long head) {
      if (head > from.sequence()) {
        to = new Position(head, 0);
      }
    }

    /// Returns whether the next event may follow.
    boolean deliver(StoredEvent event) {
      if (!webhook.subscribesTo(event.type())) {
        to = new Position(event.sequence(), 0);
        return true;
      }
      var sentAt = now();
      var outcome = sender.send(webhook, event, sentAt);
      var took = Duration.between(sentAt, now());
      meters.attempted(outcome, took);
      var number = to.failures() + 1;
      attempts.add(DeliveryAttempt.of(webhook, event, number, outcome, sentAt, took));
      return switch (outcome) {
        case Delivered _ -> {
          to = new Position(event.sequence(), 0);
          yield true;
        }
        case Failed failed -> {
          retryLater(event, number, failed);
          yield false;
        }
        case Gone _ -> {
          leases.disable(webhook.id(), "the receiver answered 410");
          yield false;
        }
      };
    }

    private void retryLater(StoredEvent event, int failures, Failed failed) {
      to = new Position(to.sequence(), failures);
      var next = schedule.after(failures, failed.retryAfter());
      pause = next.orElse(Duration.ZERO);
      if (next.isEmpty()) {
        disableReason =
            "%d attempts to deliver %s have failed".formatted(failures, event.publicId());
      }
    }

    /// Returns whether the lane has moved and may continue.
    boolean record() {
      if (to.equals(from) && attempts.isEmpty()) {
        return false;
      }
      var hasMoved = cursors.move(lane, from, to, pause, attempts);
      if (hasMoved && disableReason != null) {
        LOG.warn("Webhook {} is disabled: {}; a replay enables it", webhook.id(), disableReason);
        leases.disable(webhook.id(), disableReason);
      }
      return to.sequence() > from.sequence() && to.failures() == 0;
    }

    boolean isOutOfTime() {
      return System.nanoTime() - startNanos > BATCH_TIME_MAX.toNanos();
    }

    /// The time of the Postgres clock.
    private Instant now() {
      return start.plusNanos(System.nanoTime() - startNanos);
    }
  }
}
