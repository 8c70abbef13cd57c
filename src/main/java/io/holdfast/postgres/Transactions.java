package io.holdfast.postgres;

import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs work on a connection of the pool, and turns every failure of Postgres into
/// `PostgresUnavailable`. The connection pool limits statements, lock waits and idle transactions.
@Singleton
public final class Transactions {
  private static final Logger LOG = LoggerFactory.getLogger(Transactions.class);

  private final ConnectionPool link;

  Transactions(ConnectionPool link) {
    this.link = link;
  }

  @FunctionalInterface
  public interface Work<T> {
    T on(Connection connection) throws SQLException;
  }

  /// Runs work that only reads.
  public <T> T read(Work<T> work) {
    try (var connection = link.connection()) {
      return work.on(connection);
    } catch (SQLException e) {
      throw PostgresUnavailable.nothingChanged(e);
    }
  }

  /// Runs work in one transaction. Work that finds nothing to do may roll back itself.
  public <T> T write(Work<T> work) {
    var connection = borrow();
    try {
      var result = new Transaction(connection).call(() -> work.on(connection));
      commit(connection);
      return result;
    } catch (SQLException e) {
      throw PostgresUnavailable.nothingChanged(e);
    } finally {
      giveBack(connection);
    }
  }

  private Connection borrow() {
    try {
      var connection = link.connection();
      connection.setAutoCommit(false);
      return connection;
    } catch (SQLException e) {
      throw PostgresUnavailable.nothingChanged(e);
    }
  }

  /// COMMIT succeeds, is refused, or has an unknown result. An error that the server reports is a
  /// refusal. After a broken connection the result is unknown.
  private static void commit(Connection connection) {
    try {
      connection.commit();
    } catch (SQLException e) {
      throw isRefusal(e)
          ? PostgresUnavailable.nothingChanged(e)
          : PostgresUnavailable.perhapsChanged(e);
    }
  }

  /// Deferred constraints (23), and transactions that were rolled back (25, 40).
  public static boolean isRefusal(SQLException e) {
    var state = String.valueOf(e.getSQLState());
    return state.startsWith("23") || state.startsWith("25") || state.startsWith("40");
  }

  /// The pool rolls back an uncommitted transaction. A failure here no longer changes the result.
  static void giveBack(Connection connection) {
    try {
      connection.close();
    } catch (SQLException e) {
      LOG.debug("A connection could not be returned and is dropped", e);
    }
  }
}
