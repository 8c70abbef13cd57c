package io.holdfast.commitment;

import io.holdfast.postgres.Several;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The second round trip of a transaction: all that it writes, and what the rows have become.
final class Writing {
  private final Several statements;
  private final Map<String, List<ItemVersion>> versions = new HashMap<>();
  private final Map<String, Long> outboxIds = new HashMap<>();

  /// @param isDurable whether COMMIT waits for the disk
  Writing(Connection connection, boolean isDurable) {
    statements = new Several(connection);
    if (!isDurable) {
      statements.add("SET LOCAL synchronous_commit = off");
    }
  }

  /// One row has to be written for each that is given.
  <R> Writing add(String sql, List<R> rows, Several.Binding<R> binding) {
    return add(sql, rows, binding, rows.size());
  }

  <R> Writing add(String sql, List<R> rows, Several.Binding<R> binding, int expected) {
    statements.add(sql, rows, binding, expected);
    return this;
  }

  /// Whether each statement wrote what it had to. If not, the caller has to roll back.
  boolean isDone() throws SQLException {
    return statements.isDone(this::take);
  }

  /// What the items that were sold have become, by hold.
  List<ItemVersion> versions(String holdId) {
    return versions.getOrDefault(holdId, List.of());
  }

  /// What tells the relay of a sale.
  long outboxId(String holdId) {
    return outboxIds.getOrDefault(holdId, 0L);
  }

  /// Two statements return rows: the items that were sold, and what was put into the outbox.
  private void take(ResultSet row) throws SQLException {
    if (row.getMetaData().getColumnLabel(1).equals("hold_id")) {
      outboxIds.put(row.getString("hold_id"), row.getLong("id"));
    } else {
      versions
          .computeIfAbsent(row.getString("holder"), _ -> new ArrayList<>())
          .add(ItemUpdates.version(row));
    }
  }
}
