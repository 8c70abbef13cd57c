package io.holdfast.audit;

import io.holdfast.postgres.ArrayBinder;
import io.holdfast.postgres.AuditConnection;
import io.holdfast.postgres.PostgresUnavailable;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

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
              PoolAuditQueries.ALL,
              WaitingAuditQueries.ALL)
          .flatMap(List::stream)
          .toList();

  /// A check reads whole tables. Without statistics, as soon after the first sales, the planner
  /// takes them for small and joins them by nested loops, which take minutes.
  private static final String WITHOUT_LOOPS = "SET LOCAL enable_nestloop = off";

  private static final String SUMMARY = "IR-INV-5";
  private static final String PARTS = "PC-INV-";

  private final AuditConnection reads;
  private final ReentrantLock oneReport = new ReentrantLock(true);

  Auditor(AuditConnection reads) {
    this.reads = reads;
  }

  /// @throws PostgresUnavailable if the records cannot be read
  List<Finding> runQueries() {
    oneReport.lock();
    try {
      var findings = findings(query -> reads.read(connection -> run(connection, query)));
      var since = recordsSince(); // after the queries: records may be dropped between two of them
      if (since != null) {
        findings.replaceAll(finding -> isLimited(finding) ? finding.since(since) : finding);
      }
      return findings;
    } finally {
      oneReport.unlock();
    }
  }

  /// The findings of all queries, and their summary.
  static List<Finding> findings(Function<AuditQuery, List<Finding>> examine) {
    var findings = new ArrayList<Finding>();
    QUERIES.forEach(query -> findings.addAll(examine.apply(query)));
    findings.add(summary(findings, SUMMARY, "Every invariant of holds is kept", PARTS));
    return findings;
  }

  /// Where the records that are dropped when they are old begin; null if none was dropped.
  @Nullable String recordsSince() {
    var sql = "SELECT nullif(records_since(), '-infinity') AS since";
    return reads.read(
        connection -> {
          try (var statement = connection.createStatement();
              var row = statement.executeQuery(sql)) {
            row.next();
            return row.getObject("since") == null
                ? null
                : HistoryQuery.MILLISECONDS.format(ArrayBinder.moment(row, "since"));
          }
        });
  }

  static List<Finding> run(Connection connection, AuditQuery query) throws SQLException {
    try (var statement = connection.createStatement()) {
      statement.execute(WITHOUT_LOOPS);
      try (var row = statement.executeQuery(query.sql())) {
        row.next();
        var findings = new ArrayList<Finding>();
        var column = 2;
        for (var check : query.checks()) {
          var violations = row.getLong(column++);
          findings.add(
              Finding.of(
                  check.id(), check.statement(), row.getLong(1), violations, query.sql().strip()));
        }
        return findings;
      }
    }
  }

  /// Whether its query, or that of a part of the summary, reads records that are dropped when they
  /// are old.
  private static boolean isLimited(Finding finding) {
    return QUERIES.stream()
        .filter(AuditQuery::hasHorizon)
        .flatMap(query -> query.checks().stream())
        .map(AuditQuery.Check::id)
        .anyMatch(id -> id.equals(finding.id()) || isPart(id, finding));
  }

  private static boolean isPart(String id, Finding summary) {
    return summary.id().equals(SUMMARY) && id.startsWith(PARTS);
  }

  private static Finding summary(
      List<Finding> findings, String id, String statement, String prefix) {
    var parts = findings.stream().filter(f -> f.id().startsWith(prefix)).toList();
    var broken = parts.stream().filter(f -> f.violations() > 0).count();
    var how = "the checks of this report whose id begins with " + prefix;
    return Finding.of(id, statement, parts.size(), broken, how);
  }
}
