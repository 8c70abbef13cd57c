package io.holdfast.events.webhook;

import io.holdfast.events.EventType;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A registered receiver of events.
///
/// @param types the event types it subscribes to
/// @param secret signs the events, in the format of Standard Webhooks
/// @param disabledWhy null while it is enabled
record Webhook(
    long id,
    String caller,
    URI url,
    List<String> types,
    String secret,
    Instant createdAt,
    @Nullable String disabledWhy) {

  boolean subscribesTo(EventType type) {
    return types.contains(type.word());
  }
}
