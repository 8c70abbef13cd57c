package io.holdfast.audit;

import io.holdfast.postgres.PostgresLink;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/// Runs the checks over one and the same view of the records, and changes nothing.
@Singleton
final class Auditor {
  private final PostgresLink link;

  Auditor(PostgresLink link) {
    this.link = link;
  }

  List<Finding> examine() throws SQLException {
    try (var connection = link.connection()) {
      connection.setAutoCommit(false);
      connection.setReadOnly(true);
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      var findings = new ArrayList<Finding>();
      for (var check : Checks.ALL) {
        findings.add(examine(connection, check));
      }
      return findings;
    }
  }

  private static Finding examine(Connection connection, Check check) throws SQLException {
    try (var statement = connection.createStatement();
        var row = statement.executeQuery(check.sql())) {
      row.next();
      return new Finding(
          check.id(), check.statement(), row.getLong(1), row.getLong(2), check.sql().strip());
    }
  }
}
