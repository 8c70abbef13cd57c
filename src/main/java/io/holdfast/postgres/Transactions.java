package io.holdfast.postgres;

import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs work on a connection of the pool, and turns whatever goes wrong with Postgres into
/// `PostgresUnavailable`. Statements, locks and idle transactions have their limits from the link.
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

  /// For work that changes nothing.
  public <T> T read(Work<T> work) {
    try (var connection = link.connection()) {
      return work.on(connection);
    } catch (SQLException e) {
      throw PostgresUnavailable.nothingChanged(e);
    }
  }

  /// In one transaction, all of it or nothing. Work that finds nothing to do may roll back itself.
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

  /// COMMIT has three ends. An error that the server itself reports for it is a no; a connection
  /// that broke meanwhile tells nothing.
  private static void commit(Connection connection) {
    try {
      connection.commit();
    } catch (SQLException e) {
      throw isRefusal(e)
          ? PostgresUnavailable.nothingChanged(e)
          : PostgresUnavailable.perhapsChanged(e);
    }
  }

  /// Integrity constraints that were put off (23), and transactions that were rolled back (25, 40).
  public static boolean isRefusal(SQLException e) {
    var state = String.valueOf(e.getSQLState());
    return state.startsWith("23") || state.startsWith("25") || state.startsWith("40");
  }

  /// The pool rolls back what was not committed. What happens here no longer changes the result.
  static void giveBack(Connection connection) {
    try {
      connection.close();
    } catch (SQLException e) {
      LOG.debug("a connection could not be given back and is dropped", e);
    }
  }
}
