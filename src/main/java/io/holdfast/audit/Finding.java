package io.holdfast.audit;

import io.micronaut.serde.annotation.Serdeable;
import io.swagger.v3.oas.annotations.media.Schema;

/// The result of one audit check.
///
/// @param statement the promise that is checked
/// @param examined the number of records that were examined
/// @param violations the number of records that contradict the promise
/// @param sql the query, or a description of the check if it is not a query
@Serdeable
@Schema(name = "AuditFinding")
public record Finding(String id, String statement, long examined, long violations, String sql) {}
