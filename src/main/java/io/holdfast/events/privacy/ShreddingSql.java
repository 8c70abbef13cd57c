package io.holdfast.events.privacy;

import io.holdfast.postgres.ArrayBinder;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// The statements of a shredding. All run in one transaction.
final class ShreddingSql {
  private static final String LIVE =
      """
      SELECT EXISTS (SELECT 1 FROM hold
                      WHERE caller = ? AND requester = ? AND state = 'HELD')
          OR EXISTS (SELECT 1 FROM ticket t
                      WHERE caller = ? AND requester = ? AND state = 'WAITING'
                        AND NOT EXISTS (SELECT 1 FROM admission a
                                         WHERE a.pool = t.pool AND a.number = t.number))
          OR EXISTS (SELECT 1 FROM admission
                      WHERE caller = ? AND requester = ? AND revoked_at IS NULL
                        AND pass_until > clock_timestamp())
      """;

  private static final String KNOWN =
      """
      SELECT EXISTS (SELECT 1 FROM person_key WHERE person_hash = ?)
          OR EXISTS (SELECT 1 FROM hold WHERE caller = ? AND requester = ?)
          OR EXISTS (SELECT 1 FROM ticket WHERE caller = ? AND requester = ?)
          OR EXISTS (SELECT 1 FROM admission WHERE caller = ? AND requester = ?)
          OR EXISTS (SELECT 1 FROM shredding WHERE person_hash = ?)
      """;

  private static final String DESTROY_KEY =
      """
      WITH destroyed AS (
          UPDATE person_key SET secret = NULL, shredded_at = clock_timestamp()
           WHERE person_hash = ? AND secret IS NOT NULL
          RETURNING id)
      SELECT count(DISTINCT (pool, seq)), count(field),
             coalesce(array_agg(DISTINCT field) FILTER (WHERE field IS NOT NULL), '{}') AS fields,
             count(DISTINCT (pool, seq)) FILTER (WHERE e.type = 'hold.confirmed')
        FROM destroyed d JOIN event_person p ON p.key_id = d.id JOIN event e USING (pool, seq),
             unnest(p.fields) AS field
      """;

  /// The personal field of a sale event that is built from the hold.
  private static final String SALE_FIELD = "hold.requester";

  private static final String REDACT =
      """
      WITH holds AS (
          UPDATE hold SET requester = ? WHERE caller = ? AND requester = ?
          RETURNING pool, hold_id, state),
      commitments AS (
          UPDATE commitment c SET requester = ? FROM holds h
           WHERE c.pool = h.pool AND c.hold_id = h.hold_id
          RETURNING 1),
      tickets AS (
          UPDATE ticket SET requester = ? WHERE caller = ? AND requester = ?),
      admissions AS (
          UPDATE admission SET requester = ? WHERE caller = ? AND requester = ?)
      SELECT (SELECT count(*) FROM holds), (SELECT count(*) FROM commitments),
             (SELECT count(*) FROM holds h
               WHERE h.state = 'CONFIRMED'
                 AND EXISTS (SELECT 1 FROM commitment c
                              WHERE c.pool = h.pool AND c.hold_id = h.hold_id))
      """;

  private static final String RECORD =
      """
      INSERT INTO shredding (correlation_id, caller, person_hash, fields, parts, events, holds,
                             commitments, shredded_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, date_trunc('milliseconds', clock_timestamp()))
      RETURNING shredded_at
      """;

  private ShreddingSql() {}

  /// The result of a shredding.
  record Shredding(
      String correlationId, Unreadable unreadable, Redacted redacted, Instant shreddedAt) {}

  /// @param parts the number of values at these paths of these events
  /// @param sales how many of these events are sales, which an earlier version stored encrypted
  record Unreadable(long events, long parts, List<String> fields, long sales) {

    /// Adds the sales whose events are built from the hold. Each has one personal value.
    Unreadable plusSales(Redacted redacted) {
      var others = redacted.sales - sales;
      if (others <= 0) {
        return this;
      }
      var all = new TreeSet<>(fields);
      all.add(SALE_FIELD);
      return new Unreadable(events + others, parts + others, List.copyOf(all), redacted.sales);
    }
  }

  record Redacted(long holds, long commitments, long sales) {}

  /// A live hold needs its requester until it ends, and so does a ticket that waits or has a pass.
  static boolean hasLiveHolds(Connection connection, DataSubject person) throws SQLException {
    try (var select = connection.prepareStatement(LIVE)) {
      names(select, 1, person, 3);
      return isTrue(select);
    }
  }

  static boolean isKnown(Connection connection, DataSubject person) throws SQLException {
    try (var select = connection.prepareStatement(KNOWN)) {
      select.setBytes(1, person.hash());
      names(select, 2, person, 3);
      select.setBytes(8, person.hash());
      return isTrue(select);
    }
  }

  private static void names(PreparedStatement select, int first, DataSubject person, int times)
      throws SQLException {
    for (var i = first; i < first + 2 * times; i += 2) {
      select.setString(i, person.caller());
      select.setString(i + 1, person.requester());
    }
  }

  /// @param correlationId of the caller; if null, one is generated
  static Shredding shred(
      Connection connection, DataSubject person, String caller, @Nullable String correlationId)
      throws SQLException {
    var id = nextNumber(connection);
    var correlation = correlationId == null ? "shredding-" + id : correlationId;
    var destroyed = destroyKey(connection, person);
    var redacted = redact(connection, person, "shredded:" + id);
    var unreadable = destroyed.plusSales(redacted);
    var at = record(connection, person, caller, correlation, unreadable, redacted);
    return new Shredding(correlation, unreadable, redacted, at);
  }

  private static Unreadable destroyKey(Connection connection, DataSubject person)
      throws SQLException {
    try (var destroy = connection.prepareStatement(DESTROY_KEY)) {
      destroy.setBytes(1, person.hash());
      try (var row = destroy.executeQuery()) {
        row.next();
        var fields = (String[]) row.getArray("fields").getArray();
        return new Unreadable(row.getLong(1), row.getLong(2), List.of(fields), row.getLong(4));
      }
    }
  }

  private static Redacted redact(Connection connection, DataSubject person, String pseudonym)
      throws SQLException {
    try (var redact = connection.prepareStatement(REDACT)) {
      redact.setString(1, pseudonym);
      redact.setString(2, person.caller());
      redact.setString(3, person.requester());
      redact.setString(4, pseudonym);
      redact.setString(5, pseudonym);
      names(redact, 6, person, 1);
      redact.setString(8, pseudonym);
      names(redact, 9, person, 1);
      try (var row = redact.executeQuery()) {
        row.next();
        return new Redacted(row.getLong(1), row.getLong(2), row.getLong(3));
      }
    }
  }

  private static Instant record(
      Connection connection,
      DataSubject person,
      String caller,
      String correlation,
      Unreadable unreadable,
      Redacted redacted)
      throws SQLException {
    try (var insert = connection.prepareStatement(RECORD)) {
      insert.setString(1, correlation);
      insert.setString(2, caller);
      insert.setBytes(3, person.hash());
      insert.setArray(4, connection.createArrayOf("text", unreadable.fields.toArray()));
      insert.setLong(5, unreadable.parts);
      insert.setLong(6, unreadable.events);
      insert.setLong(7, redacted.holds);
      insert.setLong(8, redacted.commitments);
      try (var row = insert.executeQuery()) {
        row.next();
        return ArrayBinder.moment(row, "shredded_at");
      }
    }
  }

  /// Forms the pseudonym. The row of the shredding takes the current value of the same sequence.
  private static long nextNumber(Connection connection) throws SQLException {
    var sql = "SELECT nextval('shredding_number')";
    try (var select = connection.prepareStatement(sql);
        var row = select.executeQuery()) {
      row.next();
      return row.getLong(1);
    }
  }

  private static boolean isTrue(PreparedStatement select) throws SQLException {
    try (var row = select.executeQuery()) {
      row.next();
      return row.getBoolean(1);
    }
  }
}
