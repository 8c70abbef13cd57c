package io.holdfast.events;

import io.holdfast.postgres.Columns;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The events that are committed and have no number yet, the oldest first.
final class UnnumberedEvents {
  private static final String FRESH =
      "SELECT id, pool, type, subject, data, recorded_at FROM event_fresh ORDER BY id LIMIT ?";

  private UnnumberedEvents() {}

  /// @param data nothing for a sale, which is told from its records whenever somebody reads it
  /// @param isTold whether there turned out to be something to tell
  record Fresh(Row row, Map<String, @Nullable Object> data, boolean isTold) {
    String pool() {
      return row.subject.pool();
    }
  }

  static List<Fresh> read(Connection connection, int most) throws SQLException {
    var rows = rows(connection, most);
    var sold = rows.stream().filter(Row::isNote).map(Row::subject).toList();
    var whole = SaleEventReader.whole(connection, sold);
    return rows.stream()
        .map(
            row ->
                row.isNote()
                    ? new Fresh(row, Map.of(), whole.contains(row.subject))
                    : new Fresh(row, EventJson.read(row.data), true))
        .toList();
  }

  /// @param data empty for a sale
  record Row(long id, SaleEventReader.Subject subject, String type, String data, long recordedUs) {
    boolean isNote() {
      return data.isEmpty();
    }
  }

  private static List<Row> rows(Connection connection, int most) throws SQLException {
    try (var select = connection.prepareStatement(FRESH)) {
      select.setInt(1, most);
      var fresh = new ArrayList<Row>();
      try (var rows = select.executeQuery()) {
        while (rows.next()) {
          var subject =
              new SaleEventReader.Subject(rows.getString("pool"), rows.getString("subject"));
          fresh.add(
              new Row(
                  rows.getLong("id"),
                  subject,
                  rows.getString("type"),
                  rows.getString("data"),
                  ChronoUnit.MICROS.between(Instant.EPOCH, Columns.moment(rows, "recorded_at"))));
        }
      }
      return fresh;
    }
  }
}
