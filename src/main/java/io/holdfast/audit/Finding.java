package io.holdfast.audit;

import io.micronaut.serde.annotation.Serdeable;

/// What one check came to: how much it examined, and how much of that contradicts it.
@Serdeable
record Finding(String id, String statement, long examined, long violations, String sql) {}
