package io.holdfast.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/// Several statements in one round trip, each for many rows, and each with the number of rows that
/// it has to write. Any other number means that the world is not as it was read, and obliges the
/// caller to roll back.
public final class Several {
  private final Connection connection;
  private final List<Part<?>> parts = new ArrayList<>();

  public Several(Connection connection) {
    this.connection = connection;
  }

  @FunctionalInterface
  public interface Binding<R> {
    /// Returns the number of the first parameter behind its own.
    int bind(Columns.Slots slots, List<R> rows) throws SQLException;
  }

  /// Takes a row that a statement returns.
  @FunctionalInterface
  public interface Taking {
    void take(ResultSet row) throws SQLException;
  }

  private record Part<R>(String sql, List<R> rows, Binding<R> binding, int expected) {
    /// Most transactions are for one sale of one item.
    boolean isLone() {
      return rows.size() == 1 && expected == 1;
    }

    String text() {
      return isLone() ? LoneRow.text(sql) : ManyRows.text(sql);
    }

    int bind(Connection connection, PreparedStatement statement, int first) throws SQLException {
      return binding.bind(new Columns.Slots(connection, statement, first, isLone()), rows);
    }
  }

  /// A statement that needs no rows and writes none.
  public Several add(String sql) {
    parts.add(new Part<>(sql, List.of(), (slots, _) -> slots.first(), 0));
    return this;
  }

  /// One row has to be written for each that is given.
  public <R> Several add(String sql, List<R> rows, Binding<R> binding) {
    return add(sql, rows, binding, rows.size());
  }

  public <R> Several add(String sql, List<R> rows, Binding<R> binding, int expected) {
    if (!rows.isEmpty()) {
      parts.add(new Part<>(sql, rows, binding, expected));
    }
    return this;
  }

  public boolean isDone() throws SQLException {
    return isDone(_ -> {});
  }

  /// Whether each statement wrote what it had to.
  public boolean isDone(Taking taking) throws SQLException {
    if (parts.isEmpty()) {
      return true;
    }
    var sql = String.join(";\n", parts.stream().map(Part::text).toList());
    try (var statement = connection.prepareStatement(Plans.current(sql))) {
      var next = 1;
      for (var part : parts) {
        next = part.bind(connection, statement, next);
      }
      statement.execute();
      var isWhole = true;
      for (var part : parts) {
        isWhole &= count(statement, taking) == part.expected;
        statement.getMoreResults();
      }
      return isWhole;
    }
  }

  private static int count(PreparedStatement statement, Taking taking) throws SQLException {
    var rows = statement.getResultSet();
    if (rows == null) {
      return statement.getUpdateCount();
    }
    var count = 0;
    try (rows) {
      while (rows.next()) {
        taking.take(rows);
        count++;
      }
    }
    return count;
  }
}
