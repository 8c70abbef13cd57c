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
        webhook.url().toString(),
        webhook.types(),
        webhook.disabledWhy() == null,
        webhook.disabledWhy(),
        EventJson.moment(webhook.createdAt()));
  }

  /// A new webhook with its secret.
  @Serdeable
  @Schema(name = "WebhookCreated")
  record Made(
      String webhookId,
      String url,
      List<String> types,
      boolean enabled,
      String createdAt,
      String secret) {

    static Made of(Webhook webhook) {
      return new Made(
          Long.toString(webhook.id()),
          webhook.url().toString(),
          webhook.types(),
          true,
          EventJson.moment(webhook.createdAt()),
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

    static Deliveries of(List<DeliveryAttempt> tries) {
      return new Deliveries(tries.stream().map(Delivery::of).toList());
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

    static Delivery of(DeliveryAttempt each) {
      return new Delivery(
          "evt_" + each.eventId(),
          each.type(),
          each.pool(),
          each.sequence(),
          each.attempt(),
          each.outcome().name(),
          each.status(),
          each.detail(),
          EventJson.moment(each.triedAt()),
          each.tookMs());
    }
  }
}
