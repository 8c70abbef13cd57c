package io.holdfast.audit;

import io.micronaut.serde.annotation.Serdeable;

/// What one check came to: how much it examined, and how much of that contradicts it.
///
/// @param sql how it was found out; where no query was run, in words
@Serdeable
public record Finding(String id, String statement, long examined, long violations, String sql) {}
