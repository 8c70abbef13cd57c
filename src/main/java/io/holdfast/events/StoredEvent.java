package io.holdfast.events;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A numbered event. Its data are decrypted where a key still exists, and in the current schema.
///
/// @param sequence the number of the event in its pool, from 1 on
public record StoredEvent(
    long id,
    String pool,
    long sequence,
    EventType type,
    String subject,
    Instant recordedAt,
    Map<String, @Nullable Object> data) {

  /// The same for every webhook and every delivery attempt.
  public String publicId() {
    return "evt_" + id;
  }
}
