package io.holdfast.events.webhook;

import io.holdfast.events.EventJson;
import io.micronaut.serde.annotation.Serdeable;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A webhook in responses, without its secret.
///
/// @param pools whose events it gets; null for all pools
/// @param disabledWhy why it gets no events; null while it is enabled
/// @param oldSecretUntil until when a replaced secret signs, too; null if there is none
@Serdeable
@Schema(name = "Webhook")
record WebhookJson(
    String webhookId,
    String url,
    List<String> types,
    @Nullable List<String> pools,
    boolean enabled,
    @Nullable String disabledWhy,
    String createdAt,
    @Nullable String oldSecretUntil) {

  static WebhookJson of(Webhook webhook) {
    return new WebhookJson(
        Long.toString(webhook.id()),
        webhook.url(),
        webhook.types(),
        poolsOf(webhook),
        webhook.disabledWhy() == null,
        webhook.disabledWhy(),
        EventJson.timestamp(webhook.createdAt()),
        timestamp(webhook.oldSecretUntil()));
  }

  private static @Nullable List<String> poolsOf(Webhook webhook) {
    return webhook.pools().isEmpty() ? null : webhook.pools();
  }

  private static @Nullable String timestamp(@Nullable Instant moment) {
    return moment == null ? null : EventJson.timestamp(moment);
  }

  /// A new webhook with its secret.
  @Serdeable
  @Schema(name = "WebhookCreated")
  record Created(
      String webhookId,
      String url,
      List<String> types,
      @Nullable List<String> pools,
      boolean enabled,
      String createdAt,
      String secret) {

    static Created of(Webhook webhook) {
      return new Created(
          Long.toString(webhook.id()),
          webhook.url(),
          webhook.types(),
          poolsOf(webhook),
          true,
          EventJson.timestamp(webhook.createdAt()),
          webhook.secret());
    }
  }

  /// A webhook with a new secret, which is shown only here.
  @Serdeable
  @Schema(name = "WebhookSecret")
  record Rotated(String webhookId, String secret, @Nullable String oldSecretUntil) {
    static Rotated of(Webhook webhook) {
      return new Rotated(
          Long.toString(webhook.id()), webhook.secret(), timestamp(webhook.oldSecretUntil()));
    }
  }

  /// What came of an event that tests a webhook.
  ///
  /// @param status of the response; null if there was none
  @Serdeable
  @Schema(name = "WebhookPinged")
  record Pinged(
      String webhookId,
      String eventId,
      DeliveryAttempt.Outcome outcome,
      @Nullable Integer status,
      String detail,
      long tookMs) {}

  @Serdeable
  @Schema(name = "WebhookDeleted")
  record Deleted(String webhookId, boolean deleted) {}

  @Serdeable
  @Schema(name = "Webhooks")
  record Listed(List<WebhookJson> webhooks) {}

  @Serdeable
  @Schema(name = "Deliveries")
  record Deliveries(List<Delivery> deliveries) {

    static Deliveries of(List<DeliveryAttempt> attempts) {
      return new Deliveries(attempts.stream().map(Delivery::of).toList());
    }
  }

  /// One delivery attempt.
  @Serdeable
  @Schema(name = "Delivery")
  record Delivery(
      String eventId,
      String type,
      String pool,
      long sequence,
      int attempt,
      String outcome,
      @Nullable Integer status,
      String detail,
      String triedAt,
      long tookMs) {

    static Delivery of(DeliveryAttempt attempt) {
      return new Delivery(
          "evt_" + attempt.eventId(),
          attempt.type(),
          attempt.pool(),
          attempt.sequence(),
          attempt.attempt(),
          attempt.outcome().name(),
          attempt.status(),
          attempt.detail(),
          EventJson.timestamp(attempt.triedAt()),
          attempt.tookMs());
    }
  }
}
