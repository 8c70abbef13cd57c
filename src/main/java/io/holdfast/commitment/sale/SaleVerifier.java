package io.holdfast.commitment.sale;

import io.holdfast.pool.HoldId;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.StatementRun;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Verifies a sale after its commit and before its response, in a separate transaction: all rows of
/// a sale must exist. A sale that fails is always answered with "compensating"; its logical key
/// stays consumed.
@Singleton
public final class SaleVerifier {
  private static final Logger LOG = LoggerFactory.getLogger(SaleVerifier.class);

  /// A separate transaction. It does not wait for the disk: a lost verification is repeated. Each
  /// fact is a sub-select by key; a join would start with all rows of the pool while the tables
  /// have no statistics. OFFSET 0 evaluates each sub-select once.
  static final String VERIFY =
      """
      SELECT set_config('synchronous_commit', 'off', true), set_config('enable_seqscan', 'off', true),
             set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
             set_config('plan_cache_mode', 'force_generic_plan', true),
             set_config('jit', 'off', true);
      INSERT INTO verification (pool, hold_id, passed, detail)
      SELECT pool, hold_id, fault IS NULL, coalesce(fault, '')
        FROM (SELECT given.pool, given.hold_id,
                     CASE
                     WHEN h.state IS DISTINCT FROM 'CONFIRMED' THEN 'the hold is not CONFIRMED'
                     WHEN cardinality(h.items) = had.committed
                          AND cardinality(h.items) = had.sold
                          AND h.hold_id = (SELECT q.target FROM consumed_request q
                                            WHERE q.pool = h.pool AND q.caller = h.caller
                                              AND q.logical_key = ANY (ARRAY[
                                                      hashed(had.logical_key), had.logical_key])
                                              AND q.target = h.hold_id)
                     THEN NULL
                     WHEN EXISTS (SELECT 1 FROM reversal r
                                   WHERE r.pool = h.pool AND r.hold_id = h.hold_id)
                     THEN NULL
                     WHEN cardinality(h.items) <> had.committed
                     THEN 'not every item has its commitment'
                     WHEN cardinality(h.items) <> had.sold THEN 'not every item is SOLD to it'
                     ELSE 'no logical key was consumed'
                     END AS fault
                FROM (SELECT unnest(?::text[]) AS pool, unnest(?::text[]) AS hold_id,
                             unnest(?::bigint[]) AS fence) AS given
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
        FROM (SELECT unnest(?::text[]) AS pool, unnest(?::text[]) AS hold_id) AS given
        JOIN verification v ON v.pool = given.pool AND v.hold_id = given.hold_id
       WHERE NOT v.passed
      """;

  /// Makes the writes before it durable, too.
  private static final String FLUSH =
      """
      SELECT set_config('synchronous_commit', 'on', true);
      INSERT INTO attempt (pool, caller, token, action, hold_id, outcome, detail)
      SELECT pool, caller, token, 'confirm', hold_id, 'COMPENSATING', ?
        FROM hold WHERE pool = ? AND hold_id = ?
      """;

  /// A hold that was sold.
  public record Sold(PoolName pool, String holdId, long fence) {
    public static Sold of(HoldId hold) {
      return new Sold(hold.pool(), hold.toString(), hold.fence().value());
    }
  }

  /// Returns the ids of the holds whose sale has failed its verification, now or earlier.
  ///
  /// @param connection outside of any transaction
  public Set<String> failed(Connection connection, List<Sold> sales) throws SQLException {
    if (sales.isEmpty()) {
      return Set.of();
    }
    connection.setAutoCommit(true);
    try (var run = StatementRun.of(connection, VERIFY)) {
      bind(run, sales);
      return flushed(connection, sales, failed(run.execute()));
    }
  }

  static void bind(StatementRun run, List<Sold> sales) throws SQLException {
    run.rows(
            sales,
            columns ->
                columns.text(sale -> sale.pool.value()).text(Sold::holdId).number(Sold::fence))
        .rows(sales, columns -> columns.text(sale -> sale.pool.value()).text(Sold::holdId));
  }

  /// @param run before the results of `VERIFY`
  static Set<String> failed(StatementRun run) throws SQLException {
    var failed = new HashSet<String>();
    run.skip().skip();
    run.take(
        row -> {
          failed.add(row.getString(1));
          LOG.error("The sale of hold {} is not whole: {}", row.getString(1), row.getString(2));
        });
    return failed;
  }

  /// Makes failed verifications durable.
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

  private static void flush(Connection connection, Sold sale) throws SQLException {
    try (var insert = connection.prepareStatement(FLUSH)) {
      insert.setString(1, "the verification failed");
      insert.setString(2, sale.pool.value());
      insert.setString(3, sale.holdId);
      insert.execute();
    }
  }
}
