package io.holdfast.stream;

import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import java.time.Instant;

/// One row of `stream`.
@MappedEntity("stream")
record StreamRow(@Id String streamId, String entityType, long version, Instant createdAt) {}
