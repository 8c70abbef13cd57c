package io.holdfast.audit;

import io.holdfast.postgres.AuditConnection;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

/// Looks at the records alone, one query after the other and one report at a time, and changes
/// nothing. Each query sees one moment; there may be sales between two of them.
@Singleton
final class Auditor {
  private static final List<AuditQuery> EXAMINATIONS =
      Stream.of(
              TokenAuditQueries.ALL,
              HoldAuditQueries.ALL,
              SaleAuditQueries.ALL,
              CheckoutAuditQueries.ALL)
          .flatMap(List::stream)
          .toList();

  private final AuditConnection reads;
  private final ReentrantLock turn = new ReentrantLock(true);

  Auditor(AuditConnection reads) {
    this.reads = reads;
  }

  /// Fails with `PostgresUnavailable` if it cannot look.
  List<Finding> examine() {
    turn.lock();
    try {
      var findings = new ArrayList<Finding>();
      for (var examination : EXAMINATIONS) {
        findings.addAll(reads.read(connection -> examine(connection, examination)));
      }
      findings.add(together(findings, "IR-INV-5", "Every invariant of holds is kept", "PC-INV-"));
      return findings;
    } finally {
      turn.unlock();
    }
  }

  static List<Finding> examine(Connection connection, AuditQuery examination) throws SQLException {
    try (var statement = connection.createStatement();
        var row = statement.executeQuery(examination.sql())) {
      row.next();
      var findings = new ArrayList<Finding>();
      var column = 2;
      for (var check : examination.checks()) {
        var violations = row.getLong(column++);
        findings.add(
            new Finding(
                check.id(),
                check.statement(),
                row.getLong(1),
                violations,
                examination.sql().strip()));
      }
      return findings;
    }
  }

  private static Finding together(
      List<Finding> findings, String id, String statement, String prefix) {
    var parts = findings.stream().filter(f -> f.id().startsWith(prefix)).toList();
    var broken = parts.stream().filter(f -> f.violations() > 0).count();
    var how = "those of this report whose id begins with " + prefix;
    return new Finding(id, statement, parts.size(), broken, how);
  }
}
