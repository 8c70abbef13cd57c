package io.holdfast.events;

import io.holdfast.events.privacy.PersonalDataEncryption;
import io.holdfast.events.schema.EventUpcaster;
import io.holdfast.postgres.ArrayBinder;
import io.holdfast.postgres.Transactions;
import io.holdfast.subject.SubjectKeys;
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

/// Reads the numbered events of a pool in order. Personal data are decrypted where a key still
/// exists, and all data are converted to the current schema.
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
  private final EventSequencer sequencer;

  EventReader(Transactions transactions, EventSequencer sequencer) {
    this.transactions = transactions;
    this.sequencer = sequencer;
  }

  /// @param data empty for a sale, whose data `SaleEventReader` builds
  private record Row(
      long id, long sequence, EventType type, String subject, Instant recordedAt, String data) {
    boolean hasData() {
      return !data.isEmpty();
    }
  }

  /// Numbers committed events first, so that a client finds the events of its own calls. If another
  /// transaction is numbering them at that moment, they appear when it has committed.
  List<StoredEvent> readCommitted(String pool, long after, int limit) {
    sequencer.numberCommitted();
    return read(pool, after, limit);
  }

  /// @param after the sequence number before the first event
  public List<StoredEvent> read(String pool, long after, int limit) {
    return transactions.read(
        connection -> {
          var rows = rows(connection, pool, after, limit);
          var data = decryptedData(connection, rows);
          data.putAll(saleData(connection, pool, rows));
          return rows.stream().map(row -> storedEvent(pool, row, data.get(row.id))).toList();
        });
  }

  private static List<Row> rows(Connection connection, String pool, long after, int limit)
      throws SQLException {
    try (var select = connection.prepareStatement(AFTER)) {
      select.setString(1, pool);
      select.setLong(2, after);
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
                  ArrayBinder.moment(rows, "recorded_at"),
                  rows.getString("data")));
        }
      }
      return found;
    }
  }

  /// By event id.
  private static Map<Long, Map<String, @Nullable Object>> decryptedData(
      Connection connection, List<Row> rows) throws SQLException {
    var data = new HashMap<Long, Map<String, @Nullable Object>>();
    rows.stream().filter(Row::hasData).forEach(row -> data.put(row.id, EventJson.read(row.data)));
    var keyIds =
        data.values().stream()
            .flatMap(each -> PersonalDataEncryption.keyIds(each).stream())
            .collect(Collectors.toSet());
    var keys = SubjectKeys.byId(connection, keyIds);
    data.replaceAll((id, each) -> PersonalDataEncryption.decrypt(id, each, keys));
    return data;
  }

  /// By event id.
  private static Map<Long, Map<String, @Nullable Object>> saleData(
      Connection connection, String pool, List<Row> rows) throws SQLException {
    var sales = rows.stream().filter(row -> !row.hasData()).toList();
    var bySubject =
        SaleEventReader.read(
            connection,
            sales.stream().map(row -> new SaleEventReader.Subject(pool, row.subject)).toList());
    var data = new HashMap<Long, Map<String, @Nullable Object>>();
    for (var sale : sales) {
      var found = bySubject.get(new SaleEventReader.Subject(pool, sale.subject));
      if (found == null) {
        throw new IllegalStateException(
            "event %d of pool %s is the sale of hold %s, which has no commitment"
                .formatted(sale.sequence, pool, sale.subject));
      }
      data.put(sale.id, found);
    }
    return data;
  }

  private static StoredEvent storedEvent(String pool, Row row, Map<String, @Nullable Object> data) {
    return new StoredEvent(
        row.id,
        pool,
        row.sequence,
        row.type,
        row.subject,
        row.recordedAt,
        EventUpcaster.toCurrent(row.type, data));
  }
}
