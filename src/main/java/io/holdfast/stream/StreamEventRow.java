package io.holdfast.stream;

import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import java.time.Instant;

/// One row of `stream_event`, without the stream.
///
/// @param data a JSON object
@MappedEntity("stream_event")
record StreamEventRow(@Id long version, String type, String data, Instant recordedAt) {}
