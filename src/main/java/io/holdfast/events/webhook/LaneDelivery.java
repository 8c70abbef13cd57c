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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Tells one webhook of the events of one pool, one after the other in their order. An event that
/// is not taken stops the lane until it is taken, or the webhook is disabled: nothing is left out.
/// What was told and not yet noted when a process dies is told again, under the same id.
@Singleton
final class LaneDelivery {
  private static final Logger LOG = LoggerFactory.getLogger(LaneDelivery.class);
  private static final int CHUNK = 200;

  /// How much is told again at most, if the process dies.
  private static final Duration NOTED_WITHIN = Duration.ofSeconds(1);

  private final EventReader events;
  private final WebhookSender courier;
  private final DeliveryCursors lanes;
  private final WebhookLeases owned;
  private final DeliveryMeters meters;
  private final RetrySchedule schedule;

  LaneDelivery(
      EventReader events,
      WebhookSender courier,
      DeliveryCursors lanes,
      WebhookLeases owned,
      DeliveryMeters meters,
      WebhookSettings settings) {
    this.events = events;
    this.courier = courier;
    this.lanes = lanes;
    this.owned = owned;
    this.meters = meters;
    this.schedule =
        new RetrySchedule(settings.retries(), () -> ThreadLocalRandom.current().nextDouble());
  }

  /// Runs until nothing is left, something fails, or it is not ours any more.
  void run(Webhook webhook, String pool, BooleanSupplier isOurs) {
    var lane = new Lane(webhook.id(), pool);
    while (isOurs.getAsBoolean() && runChunk(webhook, lane, isOurs)) {}
  }

  /// Whether there may be more.
  private boolean runChunk(Webhook webhook, Lane lane, BooleanSupplier isOurs) {
    var found = lanes.find(lane);
    if (!found.isDue()) {
      return false;
    }
    var chunk = new Chunk(webhook, lane, found.position(), found.now());
    for (var event : events.after(lane.pool(), found.position().sequence(), CHUNK)) {
      if (!chunk.tell(event) || !isOurs.getAsBoolean() || chunk.isLate()) {
        break;
      }
    }
    return chunk.note();
  }

  private final class Chunk {
    private final Webhook webhook;
    private final Lane lane;
    private final Position from;
    private final Instant start;
    private final long startNanos = System.nanoTime();
    private final ArrayList<DeliveryAttempt> tries = new ArrayList<>();
    private Position to;
    private Duration pause = Duration.ZERO;
    private @Nullable String inVain;

    Chunk(Webhook webhook, Lane lane, Position from, Instant start) {
      this.webhook = webhook;
      this.lane = lane;
      this.from = from;
      this.to = from;
      this.start = start;
    }

    /// Whether the next one may follow.
    boolean tell(StoredEvent event) {
      if (!webhook.wants(event.type())) {
        to = new Position(event.sequence(), 0);
        return true;
      }
      var now = now();
      var outcome = courier.deliver(webhook, event, now);
      var took = Duration.between(now, now());
      meters.told(outcome, took);
      var attempt = to.failures() + 1;
      switch (outcome) {
        case Delivered(var status) -> {
          note(event, attempt, DeliveryAttempt.Outcome.DELIVERED, status, "", now, took);
          to = new Position(event.sequence(), 0);
          return true;
        }
        case Failed failed -> {
          note(
              event,
              attempt,
              DeliveryAttempt.Outcome.FAILED,
              failed.status(),
              failed.why(),
              now,
              took);
          failed(event, attempt, failed);
        }
        case Gone _ -> {
          note(
              event, attempt, DeliveryAttempt.Outcome.GONE, 410, "the receiver is gone", now, took);
          owned.disable(webhook.id(), "the receiver answered 410");
        }
      }
      return false;
    }

    private void failed(StoredEvent event, int attempt, Failed failed) {
      var next = schedule.after(attempt, failed.retryAfter());
      to = new Position(to.sequence(), attempt);
      pause = next.orElse(Duration.ZERO);
      if (next.isEmpty()) {
        inVain = "%s was tried %d times in vain".formatted(event.publicId(), attempt);
      }
    }

    private void note(
        StoredEvent event,
        int attempt,
        DeliveryAttempt.Outcome outcome,
        Integer status,
        String detail,
        Instant at,
        Duration took) {
      tries.add(
          new DeliveryAttempt(
              0,
              webhook.id(),
              event.pool(),
              event.sequence(),
              event.id(),
              event.type().word(),
              attempt,
              outcome,
              status,
              detail,
              at,
              took.toMillis()));
    }

    /// Whether the lane has moved and may go on.
    boolean note() {
      if (to.equals(from) && tries.isEmpty()) {
        return false;
      }
      var hasMoved = lanes.move(lane, from, to, pause, tries);
      if (hasMoved && inVain != null) {
        LOG.warn("Webhook {} is disabled: {}; a replay enables it", webhook.id(), inVain);
        owned.disable(webhook.id(), inVain);
      }
      return to.sequence() > from.sequence() && to.failures() == 0;
    }

    boolean isLate() {
      return System.nanoTime() - startNanos > NOTED_WITHIN.toNanos();
    }

    /// By the clock of Postgres, whatever that of this machine says.
    private Instant now() {
      return start.plusNanos(System.nanoTime() - startNanos);
    }
  }
}
