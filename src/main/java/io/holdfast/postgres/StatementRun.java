package io.holdfast.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/// Runs one text of one or more statements in one round trip. The caller binds the parameters in
/// the order of the text, executes, and takes the results in the order of the statements.
public final class StatementRun implements AutoCloseable {
  private final Connection connection;
  private final PreparedStatement statement;
  private int next = 1;
  private boolean isExecuted;

  private StatementRun(Connection connection, PreparedStatement statement) {
    this.connection = connection;
    this.statement = statement;
  }

  public static StatementRun of(Connection connection, String sql) throws SQLException {
    Plans.renewIfOutdated(connection);
    return new StatementRun(connection, connection.prepareStatement(sql));
  }

  /// Names the columns of the rows, in the order of the text.
  @FunctionalInterface
  public interface Binding<R> {
    ArrayBinder<R> bind(ArrayBinder<R> columns) throws SQLException;
  }

  @FunctionalInterface
  public interface RowReader {
    void read(ResultSet row) throws SQLException;
  }

  /// Binds one array for each column.
  public <R> StatementRun rows(List<R> rows, Binding<R> binding) throws SQLException {
    next = binding.bind(new ArrayBinder<>(statement, next, rows)).next();
    return this;
  }

  public StatementRun text(@Nullable String value) throws SQLException {
    statement.setString(next++, value);
    return this;
  }

  public StatementRun number(long value) throws SQLException {
    statement.setLong(next++, value);
    return this;
  }

  public StatementRun flag(boolean value) throws SQLException {
    statement.setBoolean(next++, value);
    return this;
  }

  /// Binds a token: a string of one char a byte.
  public StatementRun bytes(@Nullable String value) throws SQLException {
    statement.setBytes(next++, ArrayBinder.bytes(value));
    return this;
  }

  public StatementRun numbers(long... values) throws SQLException {
    statement.setArray(
        next++, connection.createArrayOf("bigint", LongStream.of(values).boxed().toArray()));
    return this;
  }

  public StatementRun execute() throws SQLException {
    statement.execute();
    return this;
  }

  /// Moves past the result of one statement.
  public StatementRun skip() throws SQLException {
    take(_ -> {});
    return this;
  }

  /// Takes the result of the next statement. Returns how many rows it returned or changed.
  public int take(RowReader reader) throws SQLException {
    if (isExecuted) {
      statement.getMoreResults();
    }
    isExecuted = true;
    var rows = statement.getResultSet();
    if (rows == null) {
      return Math.max(0, statement.getUpdateCount());
    }
    var count = 0;
    try (rows) {
      while (rows.next()) {
        reader.read(rows);
        count++;
      }
    }
    return count;
  }

  @Override
  public void close() throws SQLException {
    statement.close();
  }
}
