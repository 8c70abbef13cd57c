package io.holdfast.postgres;

import io.holdfast.runtime.HealthProbe;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;

/// Checks that Postgres accepts a connection and answers a query. After a statement has met a full
/// disk, it also checks that Postgres can store something: only that shows that there is space
/// again.
@Singleton
final class PostgresHealthProbe implements HealthProbe {
  private static final int PATIENCE_SECONDS = 1;

  /// About half a megabyte, which is more than the free space inside of the files of a small table.
  private static final String FILL =
      """
      CREATE TEMPORARY TABLE disk_check ON COMMIT DROP AS
      SELECT i, repeat('x', 1000) AS filling FROM generate_series(1, 500) AS i
      """;

  private final ConnectionPool link;
  private final DiskSpace disk;

  PostgresHealthProbe(ConnectionPool link, DiskSpace disk) {
    this.link = link;
    this.disk = disk;
  }

  @Override
  public String name() {
    return "postgres";
  }

  @Override
  public State check() {
    try (var connection = link.connection()) {
      if (!connection.isValid(PATIENCE_SECONDS)) {
        return State.DOWN;
      }
      if (disk.isFull()) {
        fill(connection);
        disk.foundSpace();
      }
      return State.UP;
    } catch (SQLException e) {
      return DiskSpace.isMissing(e) ? State.DISK_FULL : State.DOWN;
    }
  }

  /// Leaves nothing behind.
  private static void fill(Connection connection) throws SQLException {
    connection.setAutoCommit(false);
    try (var statement = connection.createStatement()) {
      statement.execute(FILL);
    } finally {
      connection.rollback();
    }
  }
}
