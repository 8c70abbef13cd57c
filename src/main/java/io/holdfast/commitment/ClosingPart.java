package io.holdfast.commitment;

import io.holdfast.postgres.Columns;
import io.holdfast.postgres.LoneRow;
import io.holdfast.postgres.ManyRows;
import io.holdfast.postgres.Several;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/// One part of the statement that ends a transaction of sales.
///
/// @param expected how many rows it has to write, or to find
record ClosingPart<R>(String sql, List<R> rows, Several.Binding<R> binding, long expected) {

  /// Most transactions are for one sale of one item.
  boolean isLone() {
    return rows.size() == 1 && expected == 1;
  }

  /// Whether its rows are of interest: a hold, an item or none, and a number.
  boolean tells() {
    return sql.contains("RETURNING");
  }

  boolean reads() {
    return sql.startsWith("SELECT");
  }

  String text(int number) {
    var timed = Moment.text(sql);
    return "%s (hold_id, item, number) AS (%s%s)"
        .formatted(
            name(number),
            isLone() ? LoneRow.text(timed) : ManyRows.text(timed),
            tells() || reads() ? "" : " RETURNING NULL, NULL, 0");
  }

  int bind(Connection connection, PreparedStatement statement, int first) throws SQLException {
    return binding.bind(new Columns.Slots(connection, statement, first, isLone()), rows);
  }

  static String name(int number) {
    return "part" + number;
  }
}
