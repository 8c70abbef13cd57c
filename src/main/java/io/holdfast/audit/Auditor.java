package io.holdfast.audit;

import io.holdfast.postgres.AuditConnection;
import io.holdfast.postgres.PostgresUnavailable;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

/// Runs the audit queries one after the other, for one report at a time. Each query reads one
/// snapshot; records may change between two queries.
@Singleton
final class Auditor {
  private static final List<AuditQuery> QUERIES =
      Stream.of(
              TokenAuditQueries.ALL,
              HoldAuditQueries.ALL,
              SaleAuditQueries.ALL,
              AuctionAuditQueries.ALL,
              CheckoutAuditQueries.ALL,
              StreamAuditQueries.ALL,
              WaitingAuditQueries.ALL)
          .flatMap(List::stream)
          .toList();

  private final AuditConnection reads;
  private final ReentrantLock oneReport = new ReentrantLock(true);

  Auditor(AuditConnection reads) {
    this.reads = reads;
  }

  /// @throws PostgresUnavailable if the records cannot be read
  List<Finding> runQueries() {
    oneReport.lock();
    try {
      var findings = new ArrayList<Finding>();
      for (var query : QUERIES) {
        findings.addAll(reads.read(connection -> run(connection, query)));
      }
      findings.add(summary(findings, "IR-INV-5", "Every invariant of holds is kept", "PC-INV-"));
      return findings;
    } finally {
      oneReport.unlock();
    }
  }

  static List<Finding> run(Connection connection, AuditQuery query) throws SQLException {
    try (var statement = connection.createStatement();
        var row = statement.executeQuery(query.sql())) {
      row.next();
      var findings = new ArrayList<Finding>();
      var column = 2;
      for (var check : query.checks()) {
        var violations = row.getLong(column++);
        findings.add(
            new Finding(
                check.id(), check.statement(), row.getLong(1), violations, query.sql().strip()));
      }
      return findings;
    }
  }

  private static Finding summary(
      List<Finding> findings, String id, String statement, String prefix) {
    var parts = findings.stream().filter(f -> f.id().startsWith(prefix)).toList();
    var broken = parts.stream().filter(f -> f.violations() > 0).count();
    var how = "the checks of this report whose id begins with " + prefix;
    return new Finding(id, statement, parts.size(), broken, how);
  }
}
