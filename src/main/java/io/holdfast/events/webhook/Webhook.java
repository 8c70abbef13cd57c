package io.holdfast.events.webhook;

import io.holdfast.events.EventType;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Somebody who is told.
///
/// @param types the words of the events it wants
/// @param secret what events are signed with, in the form of Standard Webhooks
/// @param disabledWhy null as long as it is told
record Webhook(
    long id,
    String caller,
    URI url,
    List<String> types,
    String secret,
    Instant createdAt,
    @Nullable String disabledWhy) {

  boolean wants(EventType type) {
    return types.contains(type.word());
  }
}
