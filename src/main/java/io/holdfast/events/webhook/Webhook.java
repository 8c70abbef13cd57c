package io.holdfast.events.webhook;

import io.holdfast.events.EventType;
import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.TypeDef;
import io.micronaut.data.model.DataType;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A registered receiver of events.
///
/// @param types the event types it subscribes to
/// @param pools whose events it gets; empty for all pools
/// @param secret signs the events, in the format of Standard Webhooks
/// @param oldSecret signs them too until `oldSecretUntil`; null if none was replaced
/// @param disabledWhy null while it is enabled
@MappedEntity("webhook")
record Webhook(
    @Id long id,
    String caller,
    String url,
    @TypeDef(type = DataType.STRING_ARRAY) List<String> types,
    @TypeDef(type = DataType.STRING_ARRAY) List<String> pools,
    String secret,
    @Nullable String oldSecret,
    @Nullable Instant oldSecretUntil,
    Instant createdAt,
    @Nullable String disabledWhy) {

  URI uri() {
    return URI.create(url);
  }

  /// The secrets that sign at that time, the newest first.
  List<String> secretsAt(Instant now) {
    return oldSecret == null || oldSecretUntil == null || !now.isBefore(oldSecretUntil)
        ? List.of(secret)
        : List.of(secret, oldSecret);
  }

  boolean isFor(String pool) {
    return pools.isEmpty() || pools.contains(pool);
  }

  boolean subscribesTo(EventType type) {
    return types.contains(type.word());
  }
}
