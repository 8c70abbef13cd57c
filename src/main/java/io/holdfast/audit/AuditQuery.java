package io.holdfast.audit;

import java.util.List;

/// One query over the records that counts the violations of one or more checks.
///
/// @param sql returns one row: the number of examined records, then the violations of each check
/// @param hasHorizon whether it reads records that are dropped when they are old
record AuditQuery(String sql, List<Check> checks, boolean hasHorizon) {

  AuditQuery(String sql, Check... checks) {
    this(sql, List.of(checks), false);
  }

  /// A query that reads the journal, ended holds, attempts or events, which are complete from
  /// `records_since()` on only.
  static AuditQuery sinceHorizon(String sql, Check... checks) {
    return new AuditQuery(sql, List.of(checks), true);
  }

  /// @param id of the requirement or promise
  /// @param statement what must be true of the records
  record Check(String id, String statement) {}
}
