package io.holdfast.audit;

import java.util.List;

/// One query over the records that counts the violations of one or more checks.
///
/// @param sql returns one row: the number of examined records, then the violations of each check
record AuditQuery(String sql, List<Check> checks) {

  AuditQuery(String sql, Check... checks) {
    this(sql, List.of(checks));
  }

  /// @param id of the requirement or promise
  /// @param statement what must be true of the records
  record Check(String id, String statement) {}
}
