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
/// @param secret signs the events, in the format of Standard Webhooks
/// @param disabledWhy null while it is enabled
@MappedEntity("webhook")
record Webhook(
    @Id long id,
    String caller,
    String url,
    @TypeDef(type = DataType.STRING_ARRAY) List<String> types,
    String secret,
    Instant createdAt,
    @Nullable String disabledWhy) {

  URI uri() {
    return URI.create(url);
  }

  boolean subscribesTo(EventType type) {
    return types.contains(type.word());
  }
}
