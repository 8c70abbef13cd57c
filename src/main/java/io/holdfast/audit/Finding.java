package io.holdfast.audit;

import io.micronaut.serde.annotation.Serdeable;

/// The result of one check.
///
/// @param examined how many records were examined
/// @param violations how many of them violate the statement
/// @param sql the query, or a description where no query was run
@Serdeable
public record Finding(String id, String statement, long examined, long violations, String sql) {}
