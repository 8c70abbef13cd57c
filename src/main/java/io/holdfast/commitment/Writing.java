package io.holdfast.commitment;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The second round trip of a transaction: several statements, each for many rows, and each with
/// the number of rows that it has to write. Any other number means that the world is not as it was
/// read, and obliges the caller to roll back.
final class Writing {
  private final Connection connection;
  private final List<Part<?>> parts = new ArrayList<>();
  private final Map<String, List<ItemVersion>> versions = new HashMap<>();
  private final Map<String, Long> outboxIds = new HashMap<>();

  /// @param isDurable whether COMMIT waits for the disk
  Writing(Connection connection, boolean isDurable) {
    this.connection = connection;
    if (!isDurable) {
      parts.add(
          new Part<>("SET LOCAL synchronous_commit = off", List.of(), (_, _, next, _) -> next, 0));
    }
  }

  @FunctionalInterface
  interface Binding<R> {
    /// Returns the number of the first parameter behind its own.
    int bind(Connection connection, PreparedStatement statement, int first, List<R> rows)
        throws SQLException;
  }

  private record Part<R>(String sql, List<R> rows, Binding<R> binding, int expected) {
    int bind(Connection connection, PreparedStatement statement, int first) throws SQLException {
      return binding.bind(connection, statement, first, rows);
    }
  }

  /// One row has to be written for each that is given.
  <R> Writing add(String sql, List<R> rows, Binding<R> binding) {
    return add(sql, rows, binding, rows.size());
  }

  <R> Writing add(String sql, List<R> rows, Binding<R> binding, int expected) {
    if (!rows.isEmpty()) {
      parts.add(new Part<>(sql, rows, binding, expected));
    }
    return this;
  }

  /// Whether each statement wrote what it had to.
  boolean isDone() throws SQLException {
    if (parts.isEmpty()) {
      return true;
    }
    var sql = String.join(";\n", parts.stream().map(Part::sql).toList());
    try (var statement = connection.prepareStatement(Plans.current(sql))) {
      var next = 1;
      for (var part : parts) {
        next = part.bind(connection, statement, next);
      }
      statement.execute();
      var isWhole = true;
      for (var part : parts) {
        isWhole &= count(statement) == part.expected;
        statement.getMoreResults();
      }
      return isWhole;
    }
  }

  /// What the items that were sold have become, by hold.
  List<ItemVersion> versions(String holdId) {
    return versions.getOrDefault(holdId, List.of());
  }

  /// What tells the relay of a sale.
  long outboxId(String holdId) {
    return outboxIds.getOrDefault(holdId, 0L);
  }

  private int count(PreparedStatement statement) throws SQLException {
    var rows = statement.getResultSet();
    if (rows == null) {
      return statement.getUpdateCount();
    }
    var count = 0;
    try (rows) {
      while (rows.next()) {
        take(rows);
        count++;
      }
    }
    return count;
  }

  /// Two statements return rows: the items that were sold, and what was put into the outbox.
  private void take(ResultSet row) throws SQLException {
    if (row.getMetaData().getColumnLabel(1).equals("hold_id")) {
      outboxIds.put(row.getString("hold_id"), row.getLong("id"));
    } else {
      versions
          .computeIfAbsent(row.getString("holder"), _ -> new ArrayList<>())
          .add(Items.version(row));
    }
  }
}
