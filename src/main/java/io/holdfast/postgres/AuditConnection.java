package io.holdfast.postgres;

import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/// Runs the long queries of the auditor beside a working service. It reads as a read-only role, on
/// a separate connection, each query in its own transaction so that vacuum waits for one query at
/// most. A query uses one core and little memory, and the disk beyond that.
@Singleton
public final class AuditConnection {
  private static final Duration STATEMENT_MAX = Duration.ofMinutes(5);
  private static final Duration SOCKET_MAX = STATEMENT_MAX.plusSeconds(10);

  private static final String LIMITS =
      """
      SET LOCAL ROLE holdfast_auditor;
      SET LOCAL statement_timeout = %d;
      SET LOCAL lock_timeout = 1000;
      SET LOCAL idle_in_transaction_session_timeout = 5000;
      SET LOCAL work_mem = '48MB';
      SET LOCAL hash_mem_multiplier = 1;
      SET LOCAL max_parallel_workers_per_gather = 0;
      SET LOCAL jit = off
      """
          .formatted(STATEMENT_MAX.toMillis());

  private final PostgresSettings settings;

  AuditConnection(PostgresSettings settings) {
    this.settings = settings;
  }

  /// @throws PostgresUnavailable if Postgres is away, the role is missing, or it took too long
  public <T> T read(Transactions.Work<T> work) {
    try (var connection = ConnectionPool.unpooled(settings, SOCKET_MAX).getConnection()) {
      limit(connection);
      var result = work.on(connection);
      connection.rollback();
      return result;
    } catch (SQLException e) {
      throw PostgresUnavailable.nothingChanged(e);
    }
  }

  private static void limit(Connection connection) throws SQLException {
    connection.setReadOnly(true);
    connection.setAutoCommit(false);
    try (var statement = connection.createStatement()) {
      statement.execute(LIMITS);
    }
  }
}
