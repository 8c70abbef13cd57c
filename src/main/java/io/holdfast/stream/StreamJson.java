package io.holdfast.stream;

import io.holdfast.events.EventJson;
import io.micronaut.serde.annotation.Serdeable;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A stream in responses, with one page of its events.
///
/// @param version of the last event
/// @param events in their order
@Serdeable
@Schema(name = "Stream")
record StreamJson(
    String streamId, String entityType, long version, String createdAt, List<Event> events) {

  static StreamJson of(StreamRow stream, List<StreamEventRow> events) {
    return new StreamJson(
        stream.streamId(),
        stream.entityType(),
        stream.version(),
        EventJson.timestamp(stream.createdAt()),
        events.stream().map(Event::of).toList());
  }

  /// One event.
  @Serdeable
  @Schema(name = "StreamEvent")
  record Event(long version, String type, Map<String, @Nullable Object> data, String recordedAt) {

    static Event of(StreamEventRow event) {
      return new Event(
          event.version(),
          event.type(),
          EventJson.read(event.data()),
          EventJson.timestamp(event.recordedAt()));
    }
  }

  /// The answer to an append.
  ///
  /// @param version of the last event
  @Serdeable
  @Schema(name = "StreamAppended")
  record Appended(String streamId, long version) {}
}
