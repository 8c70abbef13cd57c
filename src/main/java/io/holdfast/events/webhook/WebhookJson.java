package io.holdfast.events.webhook;

import io.holdfast.events.EventJson;
import io.micronaut.serde.annotation.Serdeable;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A webhook in responses, without its secret.
///
/// @param disabledWhy why it gets no events; null while it is enabled
@Serdeable
@Schema(name = "Webhook")
record WebhookJson(
    String webhookId,
    String url,
    List<String> types,
    boolean enabled,
    @Nullable String disabledWhy,
    String createdAt) {

  static WebhookJson of(Webhook webhook) {
    return new WebhookJson(
        Long.toString(webhook.id()),
        webhook.url(),
        webhook.types(),
        webhook.disabledWhy() == null,
        webhook.disabledWhy(),
        EventJson.timestamp(webhook.createdAt()));
  }

  /// A new webhook with its secret.
  @Serdeable
  @Schema(name = "WebhookCreated")
  record Created(
      String webhookId,
      String url,
      List<String> types,
      boolean enabled,
      String createdAt,
      String secret) {

    static Created of(Webhook webhook) {
      return new Created(
          Long.toString(webhook.id()),
          webhook.url(),
          webhook.types(),
          true,
          EventJson.timestamp(webhook.createdAt()),
          webhook.secret());
    }
  }

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
