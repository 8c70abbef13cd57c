package io.holdfast.commitment;

import io.holdfast.pool.HoldId;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.Columns;
import io.holdfast.postgres.LoneRow;
import io.holdfast.postgres.ManyRows;
import io.holdfast.postgres.Plans;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The second look at a sale, in another transaction than its own and before its answer leaves: is
/// everything there that a sale consists of? A sale that fails is answered with "compensating" for
/// ever, and cannot be had again.
@Singleton
final class SaleVerifier {
  private static final Logger LOG = LoggerFactory.getLogger(SaleVerifier.class);

  /// In one round trip, which makes them one transaction. It does not wait for the disk: a look
  /// that is lost is taken again. Everything is asked for row by row, because a join would begin
  /// with all rows of the pool as long as nobody has counted them; and OFFSET 0 has it asked once,
  /// not once for each column that depends on it.
  private static final String LOOK =
      "SELECT set_config('synchronous_commit', 'off', true), "
          + Plans.BY_INDEX
          + """
          ;
          INSERT INTO verification (pool, hold_id, passed, detail)
          SELECT pool, hold_id, fault IS NULL, coalesce(fault, '')
            FROM (SELECT given.pool, given.hold_id,
                         CASE
                         WHEN h.state IS DISTINCT FROM 'CONFIRMED' THEN 'the hold is not CONFIRMED'
                         WHEN cardinality(h.items) = had.committed
                              AND cardinality(h.items) = had.sold
                              AND h.hold_id = (SELECT q.target FROM consumed_request q
                                                WHERE q.pool = h.pool AND q.caller = h.caller
                                                  AND q.logical_key = had.logical_key)
                         THEN NULL
                         WHEN EXISTS (SELECT 1 FROM reversal r
                                       WHERE r.pool = h.pool AND r.hold_id = h.hold_id)
                         THEN NULL
                         WHEN cardinality(h.items) <> had.committed
                         THEN 'not every item has its commitment'
                         WHEN cardinality(h.items) <> had.sold THEN 'not every item is SOLD to it'
                         ELSE 'no logical key was consumed'
                         END AS fault
                    FROM unnest(?::text[], ?::text[], ?::bigint[]) AS given (pool, hold_id, fence)
                    LEFT JOIN hold h ON h.pool = given.pool AND h.hold_id = given.hold_id
                                    AND h.fence = given.fence
                    CROSS JOIN LATERAL (
                         SELECT count(*) FILTER (WHERE c.hold_id = h.hold_id) AS committed,
                                count(*) FILTER (WHERE i.holder = h.hold_id) AS sold,
                                min(c.logical_key) AS logical_key
                           FROM unnest(h.items) AS wanted (item)
                           LEFT JOIN LATERAL (
                                SELECT * FROM commitment c
                                 WHERE c.pool = h.pool AND c.item = wanted.item
                                   AND c.fence = h.fence AND c.committed_at = h.ended_at
                                   AND c.voided_at IS NULL OFFSET 0) c ON true
                           LEFT JOIN LATERAL (
                                SELECT * FROM item i
                                 WHERE i.pool = h.pool AND i.item = wanted.item
                                   AND i.status = 'SOLD' AND i.fence = h.fence OFFSET 0) i ON true)
                         had
                  OFFSET 0) looked
           ORDER BY pool, hold_id
              ON CONFLICT DO NOTHING;
          SELECT v.hold_id, v.detail
            FROM unnest(?::text[], ?::text[]) AS given (pool, hold_id)
            JOIN verification v ON v.pool = given.pool AND v.hold_id = given.hold_id
           WHERE NOT v.passed
          """;

  /// In front of the result that tells.
  private static final int RESULTS_BEFORE = 2;

  /// Makes what was written before durable, too.
  private static final String FLUSH =
      """
      SELECT set_config('synchronous_commit', 'on', true);
      INSERT INTO attempt (pool, caller, token, action, hold_id, outcome, detail)
      SELECT pool, caller, token, 'confirm', hold_id, 'COMPENSATING', ?
        FROM hold WHERE pool = ? AND hold_id = ?
      """;

  /// A hold that was sold.
  record Sold(PoolName pool, String holdId, long fence) {
    static Sold of(HoldId hold) {
      return new Sold(hold.pool(), hold.toString(), hold.fence().value());
    }
  }

  /// Returns the ids of the holds whose sale has failed, now or when it was looked at before.
  ///
  /// @param connection outside of any transaction
  Set<String> failed(Connection connection, List<Sold> sales) throws SQLException {
    if (sales.isEmpty()) {
      return Set.of();
    }
    connection.setAutoCommit(true);
    var isLone = sales.size() == 1;
    try (var statement = connection.prepareStatement(Plans.current(text(isLone)))) {
      bind(new Columns.Slots(connection, statement, 1, isLone), sales);
      statement.execute();
      return flushed(connection, sales, read(statement));
    }
  }

  /// For whoever looks in the round trip of the COMMIT: that transaction ends, flushed, before this
  /// one begins.
  ///
  /// @param isLone whether it is one sale
  static String text(boolean isLone) {
    return isLone ? LoneRow.text(LOOK) : ManyRows.text(LOOK);
  }

  /// @param statement at the first result of the look
  static Set<String> read(PreparedStatement statement) throws SQLException {
    for (var i = 0; i < RESULTS_BEFORE; i++) {
      statement.getMoreResults();
    }
    var failed = new HashSet<String>();
    try (var rows = statement.getResultSet()) {
      while (rows.next()) {
        failed.add(rows.getString(1));
        LOG.error("The sale of hold {} is not whole: {}", rows.getString(1), rows.getString(2));
      }
    }
    return failed;
  }

  /// Makes what was found durable, if anything was.
  ///
  /// @param connection outside of any transaction
  static Set<String> flushed(Connection connection, List<Sold> sales, Set<String> failed)
      throws SQLException {
    for (var sale : sales) {
      if (failed.contains(sale.holdId)) {
        flush(connection, sale);
      }
    }
    return failed;
  }

  static void bind(Columns.Slots slots, List<Sold> sales) throws SQLException {
    var looked =
        slots.of(sales).text(sale -> sale.pool.value()).text(Sold::holdId).number(Sold::fence);
    slots.from(looked.next()).of(sales).text(sale -> sale.pool.value()).text(Sold::holdId);
  }

  private static void flush(Connection connection, Sold sale) throws SQLException {
    try (var insert = connection.prepareStatement(FLUSH)) {
      insert.setString(1, "the second look failed");
      insert.setString(2, sale.pool.value());
      insert.setString(3, sale.holdId);
      insert.execute();
    }
  }
}
