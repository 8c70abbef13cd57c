package io.holdfast.audit;

import io.micronaut.serde.annotation.Serdeable;
import io.swagger.v3.oas.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/// The result of one audit check.
///
/// @param statement the promise that is checked
/// @param examined the number of records that were examined
/// @param violations the number of records that contradict the promise
/// @param sql the query, or a description of the check if it is not a query
/// @param recordsSince nothing is proven of the time before; null if no record was dropped that the
///   check reads
@Serdeable
@Schema(name = "AuditFinding")
public record Finding(
    String id,
    String statement,
    long examined,
    long violations,
    String sql,
    @Nullable String recordsSince) {

  /// A check of records that are never dropped.
  public static Finding of(
      String id, String statement, long examined, long violations, String sql) {
    return new Finding(id, statement, examined, violations, sql, null);
  }

  Finding since(String begin) {
    return new Finding(id, statement, examined, violations, sql, begin);
  }
}
