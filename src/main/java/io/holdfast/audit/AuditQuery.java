package io.holdfast.audit;

import java.util.List;

/// A query that tries to refute one or more statements in one pass over the records.
///
/// @param sql answers one row: how much was examined, then for each check how much of it
///   contradicts its statement
record AuditQuery(String sql, List<Check> checks) {

  AuditQuery(String sql, Check... checks) {
    this(sql, List.of(checks));
  }
}
