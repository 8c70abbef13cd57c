package io.holdfast.events.webhook;

import io.holdfast.events.StoredEvent;
import io.holdfast.events.webhook.DeliveryOutcome.Delivered;
import io.holdfast.events.webhook.DeliveryOutcome.Failed;
import io.holdfast.events.webhook.DeliveryOutcome.Gone;
import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.MappedProperty;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// One attempt to deliver an event to a webhook, as it is kept in the delivery log.
///
/// @param id given by the log
/// @param attempt from 1 on
/// @param status of the response; null if there was none
@MappedEntity("webhook_delivery")
record DeliveryAttempt(
    @Id long id,
    long webhookId,
    String pool,
    @MappedProperty("seq") long sequence,
    long eventId,
    String type,
    int attempt,
    Outcome outcome,
    @Nullable Integer status,
    String detail,
    Instant triedAt,
    long tookMs) {

  /// The result of an attempt.
  enum Outcome {
    /// The receiver accepted the event.
    DELIVERED,
    /// The receiver refused the event or did not answer in time; another attempt follows.
    FAILED,
    /// The receiver wants no more events.
    GONE
  }

  static DeliveryAttempt of(
      Webhook webhook,
      StoredEvent event,
      int attempt,
      DeliveryOutcome outcome,
      Instant sentAt,
      Duration took) {
    return switch (outcome) {
      case Delivered(var status) ->
          of(webhook, event, attempt, Outcome.DELIVERED, status, "", sentAt, took);
      case Failed(var status, var why, _) ->
          of(webhook, event, attempt, Outcome.FAILED, status, why, sentAt, took);
      case Gone _ ->
          of(webhook, event, attempt, Outcome.GONE, 410, "the receiver is gone", sentAt, took);
    };
  }

  private static DeliveryAttempt of(
      Webhook webhook,
      StoredEvent event,
      int attempt,
      Outcome outcome,
      @Nullable Integer status,
      String detail,
      Instant sentAt,
      Duration took) {
    return new DeliveryAttempt(
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
        sentAt,
        took.toMillis());
  }
}
