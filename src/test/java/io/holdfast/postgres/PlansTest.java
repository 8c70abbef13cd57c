package io.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Cached plans of a connection are dropped each time twice as many statements have run.
@ExtendWith(RealServers.class)
class PlansTest {
  /// More than any test run has before, and few enough to double it at once.
  private static final int RUNS_MAX = 5_000_000;

  @Test
  void a_cached_plan_is_made_anew_after_twice_as_many_statements(TestServers servers)
      throws SQLException {
    try (var connection = servers.connection()) {
      execute(connection, "CREATE TEMPORARY TABLE seat (id int PRIMARY KEY)");
      execute(connection, "SET plan_cache_mode = force_generic_plan");
      execute(connection, "SET enable_indexscan = off; SET enable_indexonlyscan = off");
      execute(connection, "SET enable_bitmapscan = off");
      execute(connection, "PREPARE find (int) AS SELECT id FROM seat WHERE id = $1");
      assertThat(plan(connection)).contains("Seq Scan");
      execute(connection, "RESET enable_indexscan; RESET enable_indexonlyscan");
      execute(connection, "SET enable_seqscan = off");
      assertThat(plan(connection)).as("Postgres keeps the plan").contains("Seq Scan");

      var runs = 0;
      do {
        Plans.renewIfOutdated(connection);
        runs++;
      } while (runs % 1_000 != 0 || plan(connection).contains("Seq Scan") && runs < RUNS_MAX);

      assertThat(plan(connection)).contains("Index");
    }
  }

  private static String plan(Connection connection) throws SQLException {
    try (var statement = connection.createStatement();
        var rows = statement.executeQuery("EXPLAIN EXECUTE find (1)")) {
      rows.next();
      return rows.getString(1);
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (var statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
