package io.holdfast.events;

import io.holdfast.events.privacy.PersonalDataEncryption;
import io.holdfast.events.privacy.SubjectKeys;
import io.holdfast.postgres.Columns;
import io.holdfast.postgres.Transactions;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Reads the events of a pool in their order, with what is personal opened for as long as it can
/// be, and in the present schema.
@Singleton
public final class EventReader {
  private static final String AFTER =
      """
      SELECT id, seq, type, subject, data, recorded_at FROM event
       WHERE pool = ? AND seq > ?
       ORDER BY seq
       LIMIT ?
      """;

  private final Transactions transactions;
  private final EventSequencer numbering;

  EventReader(Transactions transactions, EventSequencer numbering) {
    this.transactions = transactions;
    this.numbering = numbering;
  }

  private record Row(
      long id, long sequence, EventType type, String subject, Instant recordedAt, String data) {
    boolean isNote() {
      return data.isEmpty();
    }
  }

  /// The same for whoever asks of himself: what was committed before is among them.
  List<StoredEvent> presentAfter(String pool, long sequence, int limit) {
    numbering.some();
    return after(pool, sequence, limit);
  }

  public List<StoredEvent> after(String pool, long sequence, int limit) {
    return transactions.read(
        connection -> {
          var rows = rows(connection, pool, sequence, limit);
          var data = sealed(rows);
          var traces =
              SubjectKeys.traces(
                  connection,
                  data.values().stream()
                      .flatMap(each -> PersonalDataEncryption.keys(each).stream())
                      .collect(Collectors.toSet()));
          data.replaceAll((id, each) -> PersonalDataEncryption.open(id, each, traces));
          data.putAll(sales(connection, pool, rows));
          return rows.stream().map(row -> stored(pool, row, data.get(row.id))).toList();
        });
  }

  private static Map<Long, Map<String, @Nullable Object>> sealed(List<Row> rows) {
    var data = new HashMap<Long, Map<String, @Nullable Object>>();
    rows.stream()
        .filter(row -> !row.isNote())
        .forEach(row -> data.put(row.id, EventJson.read(row.data)));
    return data;
  }

  private static Map<Long, Map<String, @Nullable Object>> sales(
      Connection connection, String pool, List<Row> rows) throws SQLException {
    var notes = rows.stream().filter(Row::isNote).toList();
    var told =
        SaleEventReader.read(
            connection,
            notes.stream().map(row -> new SaleEventReader.Subject(pool, row.subject)).toList());
    var data = new HashMap<Long, Map<String, @Nullable Object>>();
    for (var note : notes) {
      var sale = told.get(new SaleEventReader.Subject(pool, note.subject));
      if (sale == null) {
        throw new IllegalStateException(
            "event %d of pool %s tells of hold %s, of which there are no records any more"
                .formatted(note.sequence, pool, note.subject));
      }
      data.put(note.id, sale);
    }
    return data;
  }

  private static List<Row> rows(Connection connection, String pool, long sequence, int limit)
      throws SQLException {
    try (var select = connection.prepareStatement(AFTER)) {
      select.setString(1, pool);
      select.setLong(2, sequence);
      select.setInt(3, limit);
      var found = new ArrayList<Row>();
      try (var rows = select.executeQuery()) {
        while (rows.next()) {
          found.add(
              new Row(
                  rows.getLong("id"),
                  rows.getLong("seq"),
                  EventType.of(rows.getString("type")).orElseThrow(),
                  rows.getString("subject"),
                  Columns.moment(rows, "recorded_at"),
                  rows.getString("data")));
        }
      }
      return found;
    }
  }

  private static StoredEvent stored(String pool, Row row, Map<String, @Nullable Object> data) {
    return new StoredEvent(
        row.id,
        pool,
        row.sequence,
        row.type,
        row.subject,
        row.recordedAt,
        EventUpcaster.toPresent(row.type, data));
  }
}
