package io.holdfast.events.privacy;

import io.holdfast.postgres.ArrayBinder;
import io.holdfast.postgres.StatementRun;
import io.holdfast.subject.CallerText;
import io.holdfast.subject.DataSubject;
import java.sql.Array;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// The statements of a shredding. All run in one transaction.
final class ShreddingSql {
  /// Waits for transactions that write with the key, so that what they write is found here, and for
  /// voids, which make an ended checkout run again. A running checkout is not waited for: its
  /// runner locks it before the key. A look for it follows.
  private static final String LOCK =
      """
      SELECT 1 FROM person_key WHERE person_hash = ? AND secret IS NOT NULL FOR UPDATE;
      SELECT 1 FROM checkout
       WHERE caller = ? AND requester = ? AND ended_at IS NOT NULL
       ORDER BY checkout_id FOR UPDATE
      """;

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
          OR EXISTS (SELECT 1 FROM checkout
                      WHERE caller = ? AND requester = ? AND ended_at IS NULL)
      """;

  private static final String KNOWN =
      """
      SELECT EXISTS (SELECT 1 FROM person_key WHERE person_hash = ?)
          OR EXISTS (SELECT 1 FROM hold WHERE caller = ? AND requester = ?)
          OR EXISTS (SELECT 1 FROM ticket WHERE caller = ? AND requester = ?)
          OR EXISTS (SELECT 1 FROM admission WHERE caller = ? AND requester = ?)
          OR EXISTS (SELECT 1 FROM checkout
                      WHERE caller = ? AND requester = ? AND ended_at IS NOT NULL)
          OR EXISTS (SELECT 1 FROM unfinished_erasure WHERE caller = ? AND requester = ?)
      """;

  /// The key forgets its person too: it leads to events, which lead to holds.
  private static final String DESTROY_KEY =
      """
      WITH destroyed AS (
          UPDATE person_key SET secret = NULL, person_hash = NULL, shredded_at = clock_timestamp()
           WHERE person_hash = ? AND secret IS NOT NULL
          RETURNING id)
      SELECT count(DISTINCT (pool, seq)), count(field),
             coalesce(array_agg(DISTINCT field) FILTER (WHERE field IS NOT NULL), '{}') AS fields,
             count(DISTINCT (pool, seq)) FILTER (WHERE e.type = 'hold.confirmed')
        FROM destroyed d JOIN event_person p ON p.key_id = d.id JOIN event e USING (pool, seq),
             unnest(p.fields) AS field
      """;

  /// The personal fields of a sale event that is built from the hold.
  private static final String SALE_FIELD = "hold.requester";

  private static final String METADATA_FIELD = "hold.metadata";

  /// Stored outcomes are found by the pools of the person, because their key begins with the pool.
  /// A checkout may have started while its hold was shredded, so checkouts are not found by holds.
  /// The id of a checkout is no text of the caller, and leads from the sale to its payment.
  private static final String REDACT =
      """
      WITH given AS MATERIALIZED (
          SELECT ?::text AS pseudonym, ?::text AS caller, ?::text AS requester),
      holds AS (
          UPDATE hold h
             SET requester = g.pseudonym, metadata = CASE metadata WHEN '' THEN '' ELSE '{}' END
            FROM given g
           WHERE h.caller = g.caller AND h.requester = g.requester
          RETURNING h.pool, h.hold_id, h.state, h.metadata),
      checkouts AS (
          UPDATE checkout c
             SET requester = g.pseudonym, metadata = CASE c.metadata WHEN '' THEN '' ELSE '{}' END,
                 logical_key = without_name(c.logical_key, g.requester)
            FROM given g
           WHERE c.caller = g.caller AND c.requester = g.requester AND c.ended_at IS NOT NULL
          RETURNING c.pool),
      commitments AS (
          UPDATE commitment c
             SET requester = g.pseudonym,
                 order_id = CASE WHEN EXISTS (SELECT 1 FROM checkout o
                                               WHERE o.pool = c.pool
                                                 AND o.checkout_id = c.order_id)
                                 THEN c.order_id
                                 ELSE without_name(c.order_id, g.requester) END,
                 logical_key = without_name(c.logical_key, g.requester)
            FROM given g, holds h
           WHERE c.pool = h.pool AND c.hold_id = h.hold_id
          RETURNING 1),
      tickets AS (
          UPDATE ticket t SET requester = g.pseudonym
            FROM given g WHERE t.caller = g.caller AND t.requester = g.requester
          RETURNING t.pool),
      admissions AS (
          UPDATE admission a SET requester = g.pseudonym
            FROM given g WHERE a.caller = g.caller AND a.requester = g.requester
          RETURNING a.pool),
      pools AS (
          SELECT pool FROM holds UNION SELECT pool FROM checkouts
          UNION SELECT pool FROM tickets UNION SELECT pool FROM admissions),
      outcomes AS (
          UPDATE token_result t SET outcome = unnamed_outcome(t.outcome, g.pseudonym, '{}')
            FROM given g, pools concerned
           WHERE t.pool = concerned.pool AND t.caller = g.caller
             AND split_part(t.outcome, E'\\t', outcome_person(t.outcome)) = g.requester)
      SELECT (SELECT count(*) FROM holds), (SELECT count(*) FROM commitments),
             sales, sales_with_metadata,
             (SELECT coalesce(array_agg(pool), '{}') FROM pools) AS pools
        FROM (SELECT count(*) AS sales, count(*) FILTER (WHERE metadata <> '') AS sales_with_metadata
                FROM holds h
               WHERE h.state = 'CONFIRMED'
                 AND EXISTS (SELECT 1 FROM commitment c
                              WHERE c.pool = h.pool AND c.hold_id = h.hold_id)) AS sold
      """;

  private static final String RECORD =
      """
      INSERT INTO shredding (correlation_id, caller, fields, parts, events, holds, commitments,
                             shredded_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, date_trunc('milliseconds', clock_timestamp()))
      RETURNING shredded_at
      """;

  private static final String REMEMBER_REST =
      "INSERT INTO unfinished_erasure (caller, requester, pseudonym, pools) VALUES (?, ?, ?, ?)";

  private static final String PSEUDONYM = "shredded:";

  private ShreddingSql() {}

  /// The result of a shredding.
  record Shredding(
      String correlationId, Unreadable unreadable, Redacted redacted, Instant shreddedAt) {}

  /// @param parts the number of values at these paths of these events
  /// @param sales how many of these events are sales, which an earlier version stored encrypted
  record Unreadable(long events, long parts, List<String> fields, long sales) {

    /// Adds the sales whose events are built from the hold. Each has one personal value, or two if
    /// the hold has metadata.
    Unreadable plusSales(Redacted redacted) {
      var others = redacted.sales - sales;
      if (others <= 0) {
        return this;
      }
      var all = new TreeSet<>(fields);
      all.add(SALE_FIELD);
      if (redacted.salesWithMetadata > 0) {
        all.add(METADATA_FIELD);
      }
      return new Unreadable(
          events + others,
          parts + others + redacted.salesWithMetadata,
          List.copyOf(all),
          redacted.sales);
    }
  }

  /// @param number of the pseudonym
  record Redacted(long number, long holds, long commitments, long sales, long salesWithMetadata) {}

  static void lock(Connection connection, DataSubject person) throws SQLException {
    try (var lock = StatementRun.of(connection, LOCK)) {
      names(lock.bytes(person.hashText()), person).execute();
    }
  }

  /// A live hold needs its requester until it ends, and so does a ticket that waits or has a pass,
  /// and a checkout that runs.
  static boolean isActive(Connection connection, DataSubject person) throws SQLException {
    try (var select = StatementRun.of(connection, LIVE)) {
      return isTrue(names(names(names(names(select, person), person), person), person));
    }
  }

  static boolean isKnown(Connection connection, DataSubject person) throws SQLException {
    try (var select = StatementRun.of(connection, KNOWN)) {
      select.bytes(person.hashText());
      return isTrue(
          names(names(names(names(names(select, person), person), person), person), person));
    }
  }

  private static StatementRun names(StatementRun run, DataSubject person) throws SQLException {
    return run.text(person.caller()).text(person.requester());
  }

  /// Replaces the requester in all rows but those of stored answers. Waits for transactions that
  /// change one of them.
  static Redacted redact(Connection connection, DataSubject person) throws SQLException {
    var number = nextNumber(connection);
    try (var redact = connection.prepareStatement(REDACT)) {
      redact.setString(1, PSEUDONYM + number);
      redact.setString(2, person.caller());
      redact.setString(3, person.requester());
      try (var row = redact.executeQuery()) {
        row.next();
        rememberRest(connection, person, PSEUDONYM + number, row.getArray("pools"));
        return new Redacted(number, row.getLong(1), row.getLong(2), row.getLong(3), row.getLong(4));
      }
    }
  }

  private static void rememberRest(
      Connection connection, DataSubject person, String pseudonym, Array pools)
      throws SQLException {
    try (var insert = connection.prepareStatement(REMEMBER_REST)) {
      insert.setString(1, person.caller());
      insert.setString(2, person.requester());
      insert.setString(3, pseudonym);
      insert.setArray(4, pools);
      insert.executeUpdate();
    }
  }

  /// Makes the events of the person unreadable that have a number by now.
  ///
  /// @param correlationId of the caller; if null, one is generated
  static Shredding destroyKey(
      Connection connection,
      DataSubject person,
      Redacted redacted,
      String caller,
      @Nullable String correlationId)
      throws SQLException {
    var correlation =
        correlationId == null
            ? "shredding-" + redacted.number
            : CallerText.hashedIfNamed(correlationId, person.requester());
    var unreadable = destroyKey(connection, person).plusSales(redacted);
    var at = record(connection, caller, correlation, unreadable, redacted);
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

  private static Instant record(
      Connection connection,
      String caller,
      String correlation,
      Unreadable unreadable,
      Redacted redacted)
      throws SQLException {
    try (var insert = connection.prepareStatement(RECORD)) {
      insert.setString(1, correlation);
      insert.setString(2, caller);
      insert.setArray(3, connection.createArrayOf("text", unreadable.fields.toArray()));
      insert.setLong(4, unreadable.parts);
      insert.setLong(5, unreadable.events);
      insert.setLong(6, redacted.holds);
      insert.setLong(7, redacted.commitments);
      try (var row = insert.executeQuery()) {
        row.next();
        return ArrayBinder.moment(row, "shredded_at");
      }
    }
  }

  /// Forms the pseudonym. The row of the shredding takes the current value of the same sequence.
  private static long nextNumber(Connection connection) throws SQLException {
    var numbers = new ArrayList<Long>();
    try (var select = StatementRun.of(connection, "SELECT nextval('shredding_number')")) {
      select.execute().take(row -> numbers.add(row.getLong(1)));
    }
    return numbers.getFirst();
  }

  private static boolean isTrue(StatementRun select) throws SQLException {
    var found = new ArrayList<Boolean>();
    select.execute().take(row -> found.add(row.getBoolean(1)));
    return found.getFirst();
  }
}
