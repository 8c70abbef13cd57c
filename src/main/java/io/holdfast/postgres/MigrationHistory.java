package io.holdfast.postgres;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Whether the database has had exactly the migrations of this version, by Flyway's own record of
/// them. A start then does without Flyway, whose classes take longer than all that they would find
/// out. Whatever else the record says, or if it cannot be read, is for Flyway to judge.
final class MigrationHistory {
  private static final Logger LOG = LoggerFactory.getLogger(MigrationHistory.class);

  /// The file and the checksum of every migration, in their order: written by the build.
  private static final String SHIPPED = "/migrations.txt";

  private MigrationHistory() {}

  static boolean isCurrent(PostgresLink link) {
    try (var connection = link.connection()) {
      connection.setAutoCommit(false);
      try {
        return recorded(connection).equals(shipped());
      } finally {
        connection.rollback();
      }
    } catch (SQLException e) {
      LOG.debug("the history of migrations cannot be read; Flyway has a look", e);
      return false;
    }
  }

  static List<String> shipped() {
    try (var file = MigrationHistory.class.getResourceAsStream(SHIPPED)) {
      return file == null
          ? List.of("unknown")
          : new String(file.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + SHIPPED, e);
    }
  }

  /// The record belongs to whoever migrates, and not to the role that the service works as.
  private static List<String> recorded(Connection connection) throws SQLException {
    try (var statement = connection.createStatement()) {
      statement.execute("SET LOCAL ROLE NONE");
      var lines = new ArrayList<String>();
      try (var rows =
          statement.executeQuery(
              """
              SELECT concat_ws(' ', script, checksum, CASE WHEN success THEN NULL ELSE 'failed' END)
                FROM flyway_schema_history ORDER BY installed_rank\
              """)) {
        while (rows.next()) {
          lines.add(rows.getString(1));
        }
      }
      return lines;
    }
  }
}
