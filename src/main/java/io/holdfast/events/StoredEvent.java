package io.holdfast.events;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// An event in its place, with its data as they can be read now, in the present schema.
///
/// @param sequence its place in the order of its pool, from 1 on
public record StoredEvent(
    long id,
    String pool,
    long sequence,
    EventType type,
    String subject,
    Instant recordedAt,
    Map<String, @Nullable Object> data) {

  /// The same for every webhook and every try.
  public String publicId() {
    return "evt_" + id;
  }
}
