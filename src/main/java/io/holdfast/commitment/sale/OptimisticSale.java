package io.holdfast.commitment.sale;

import io.holdfast.commitment.PinResult.Pinned;
import io.holdfast.postgres.ArrayBinder;
import io.holdfast.postgres.StatementRun;
import io.holdfast.subject.SubjectKeys;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/// The optimistic path of a sale: one round trip that locks, writes, commits and verifies. Nothing
/// is read before. Every assumption of `LockedFacts.assumed` is a condition of a statement, so a
/// wrong assumption changes a row count or violates a unique index, and nothing is committed. A
/// pool with a limit of items per requester is assumed away: its sales are counted under a lock.
final class OptimisticSale {
  /// The order of the counts in the last SELECT is the order of execution: tokens and logical keys,
  /// the pool, its stock, items, then holds. All transactions lock in this order. A unique index
  /// refuses a logical key, a commitment or a token that exists already.
  ///
  /// Units and values are no items before they are sold: `made` inserts them as sold. An item that
  /// was sold before and is free again is sold like any other. `stock_sold` is the compare-and-set
  /// of all units that the batch sells of a pool.
  private static final String WRITE =
      """
      SELECT set_config('lock_timeout', ?, true), set_config('enable_seqscan', 'off', true),
             set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
             set_config('plan_cache_mode', 'force_generic_plan', true),
             set_config('jit', 'off', true);
      """
          + SubjectKeys.CREATE
          + """
          WITH sale AS MATERIALIZED (
              SELECT unnest(?::text[]) AS pool, unnest(?::text[]) AS hold_id,
                     unnest(?::text[]) AS caller, unnest(?::text[]) AS requester,
                     unnest(?::bytea[]) AS person_hash,
                     unnest(?::text[]) AS items, unnest(?::bigint[]) AS quantity,
                     unnest(?::text[]) AS metadata, unnest(?::bigint[]) AS fence,
                     unnest(?::text[]) AS salt, unnest(?::bytea[]) AS placing_token,
                     unnest(?::bigint[]) AS placed_ms, unnest(?::bigint[]) AS lease_until_ms,
                     unnest(?::bigint[]) AS lease_ms, unnest(?::bigint[]) AS expires_ms,
                     unnest(?::bigint[]) AS pin_no, unnest(?::bigint[]) AS epoch,
                     unnest(?::bigint[]) AS deadline_ms, unnest(?::bigint[]) AS token_lock,
                     unnest(?::bigint[]) AS key_lock, unnest(?::bytea[]) AS token,
                     unnest(?::text[]) AS digest, unnest(?::text[]) AS outcome,
                     unnest(?::bigint[]) AS window_ms, unnest(?::text[]) AS logical_key,
                     unnest(?::bytea[]) AS replay_key, unnest(?::text[]) AS order_id,
                     unnest(?::text[]) AS currency, unnest(?::text[]) AS attempt_id, unnest(?::boolean[]) AS makes_items),
          locked AS (
              SELECT 1 FROM sale
               WHERE pg_try_advisory_xact_lock(token_lock) AND pg_try_advisory_xact_lock(key_lock)),
          current_epoch AS (
              SELECT 1
                FROM (SELECT DISTINCT pool, epoch FROM sale) AS pinned
                JOIN pool ON pool.pool = pinned.pool AND pool.epoch = pinned.epoch
                         AND pool.items_max IS NULL
                 FOR SHARE OF pool),
          stock_sold AS (
              UPDATE stock
                 SET sold = stock.sold + given.units, version = stock.version + 1
                FROM (SELECT unnest(?::text[]) AS pool, unnest(?::bigint[]) AS units,
                             unnest(?::bigint[]) AS version) AS given
               WHERE stock.pool = given.pool
                 AND stock.sold + stock.claimed + given.units <= stock.capacity
                 AND stock.version = given.version
              RETURNING stock.*),
          wanted AS MATERIALIZED (
              SELECT pool, item, hold_id, fence, makes_items,
                     to_timestamp(deadline_ms::float8 / 1000) AS deadline
                FROM sale CROSS JOIN LATERAL unnest(string_to_array(items, E'\\n')) AS one (item)
               ORDER BY pool, item),
          sold (hold_id, item, number) AS (
              UPDATE item
                 SET status = 'SOLD', fence = wanted.fence, holder = wanted.hold_id, claim_until = NULL
                FROM wanted
               WHERE item.pool = wanted.pool
                 AND item.item = wanted.item
                 AND (item.status = 'FREE' AND item.fence <= wanted.fence
                      OR item.status = 'CLAIMED' AND item.holder = wanted.hold_id
                         AND item.fence = wanted.fence)
                 AND clock_timestamp() < wanted.deadline
                 AND NOT wanted.makes_items
              RETURNING item.holder, item.item, item.version),
          made (hold_id, item, number) AS (
              INSERT INTO item AS old (pool, item, ordinal, price_cents, status, fence, holder)
              SELECT wanted.pool, item, CASE WHEN stock.pool IS NULL THEN nextval('item_made') END,
                     coalesce(stock.price_cents, 0), 'SOLD', fence, hold_id
                FROM wanted LEFT JOIN stock ON stock.pool = wanted.pool
               WHERE makes_items AND clock_timestamp() < deadline
                  ON CONFLICT (pool, item) DO UPDATE
                     SET status = EXCLUDED.status, fence = EXCLUDED.fence, holder = EXCLUDED.holder,
                         price_cents = EXCLUDED.price_cents
                   WHERE old.status = 'FREE' AND old.fence <= EXCLUDED.fence
              RETURNING old.holder, old.item, old.version),
          moment (at, ms) AS MATERIALIZED (
              SELECT at, (extract(epoch FROM at) * 1000)::bigint
                FROM (SELECT date_trunc('milliseconds', clock_timestamp()) AS at
                        FROM (SELECT count(*) FROM (SELECT 1 FROM sold UNION ALL SELECT 1 FROM made) each)
                             AS items_are_sold) AS clock),
          in_time AS (
              SELECT 1 FROM moment WHERE at < (SELECT min(deadline) FROM wanted)),
          timed AS MATERIALIZED (
              SELECT sale.*, buyer.pseudonym, greatest(moment.ms, placed_ms) AS sold_ms,
                     greatest(moment.at, to_timestamp(placed_ms::float8 / 1000)) AS sold_at
                FROM sale CROSS JOIN moment
                JOIN person_key AS buyer
                     ON buyer.person_hash = sale.person_hash AND buyer.secret IS NOT NULL
                 FOR SHARE OF buyer),
          confirmed AS (
              INSERT INTO hold AS old
                     (pool, hold_id, caller, requester, items, quantity, metadata, fence, salt,
                      token, placed_at, lease_until, lease_ms, expires_at, pin_no, state, ended_at,
                      pseudonym)
              SELECT pool, hold_id, caller, requester, string_to_array(items, E'\\n'), quantity,
                     metadata, fence, salt, placing_token, to_timestamp(placed_ms::float8 / 1000),
                     to_timestamp(lease_until_ms::float8 / 1000), lease_ms,
                     to_timestamp(expires_ms::float8 / 1000), pin_no, 'CONFIRMED', sold_at, pseudonym
                FROM timed
               ORDER BY pool, fence
                  ON CONFLICT (pool, hold_id) DO UPDATE
                     SET state = EXCLUDED.state, pin_no = EXCLUDED.pin_no,
                         ended_at = EXCLUDED.ended_at, lease_until = EXCLUDED.lease_until
                   WHERE old.state = 'HELD'
                     AND old.pin_no <= EXCLUDED.pin_no
                     AND (old.pin_no % 2 = 0 OR old.pin_no = EXCLUDED.pin_no)
              RETURNING 1),
          consumed AS (
              INSERT INTO consumed_request
                     (pool, caller, logical_key, protocol_version, operation, target, artifact_hash,
                      owner_binding, run_id, replay_key, order_id, token, consumed_at)
              SELECT pool, caller, hashed(logical_key), ?, ?, hold_id, ?, pseudonym, pool, replay_key,
                     hashed(order_id), token, sold_at
                FROM timed
               ORDER BY pool, caller, logical_key
              RETURNING 1),
          committed AS (
              INSERT INTO commitment
                     (pool, item, hold_id, fence, caller, requester, order_id, logical_key,
                      price_cents, currency, committed_at)
              SELECT pool, item, hold_id, fence, caller, requester, order_id, logical_key,
                     CASE WHEN makes_items
                          THEN coalesce((SELECT price_cents FROM stock
                                          WHERE stock.pool = timed.pool), 0)
                          ELSE (SELECT i.price_cents FROM item i
                                 WHERE i.pool = timed.pool AND i.item = one.item) END,
                     currency, sold_at
                FROM timed CROSS JOIN LATERAL unnest(string_to_array(items, E'\\n')) AS one (item)
               ORDER BY pool, item
              RETURNING 1),
          recorded AS (
              INSERT INTO token_result
                     (pool, caller, token, action, digest, digest_function, outcome, recorded_at,
                      window_until)
              SELECT pool, caller, token, 'confirm', split_part(digest, ':', 2),
                     split_part(digest, ':', 1), replace(outcome, E'\\x01', sold_ms::text), sold_at,
                     sold_at + window_ms * interval '1 millisecond'
                FROM timed
               ORDER BY pool, caller, token
              RETURNING 1),
          to_settle (hold_id, item, number) AS (
              INSERT INTO outbox (pool, hold_id, topic)
              SELECT pool, hold_id, 'settle' FROM timed
              RETURNING hold_id, NULL, id),
          event AS (
              INSERT INTO event_fresh (pool, type, subject, data)
              SELECT pool, 'hold.confirmed', hold_id, '' FROM timed
              RETURNING 1),
          attempted AS (
              INSERT INTO attempt (pool, caller, token, attempt_id, action, hold_id, logical_key,
                                   outcome, detail)
              SELECT pool, caller, token, attempt_id, 'confirm', hold_id, hashed(logical_key), 'CONFIRMED', ''
                FROM timed
              RETURNING 1)
          SELECT NULL::text AS hold_id, NULL::text AS item, (SELECT ms FROM moment) AS number,
                 NULL::bigint[] AS stock_level
           WHERE written_as_read(
                     ARRAY[(SELECT count(*) FROM locked), (SELECT count(*) FROM current_epoch),
                           (SELECT count(*) FROM stock_sold),
                           (SELECT count(*) FROM sold) + (SELECT count(*) FROM made),
                           (SELECT count(*) FROM in_time),
                           (SELECT count(*) FROM confirmed), (SELECT count(*) FROM consumed),
                           (SELECT count(*) FROM committed), (SELECT count(*) FROM recorded),
                           (SELECT count(*) FROM to_settle), (SELECT count(*) FROM event),
                           (SELECT count(*) FROM attempted)],
                     ?)
          UNION ALL SELECT *, NULL FROM sold
          UNION ALL SELECT *, NULL FROM made
          UNION ALL SELECT *, NULL FROM to_settle
          UNION ALL SELECT NULL, pool, NULL, ARRAY[version, capacity, sold, claimed] FROM stock_sold;
          COMMIT;
          """;

  private static final String WRITE_AND_VERIFY = WRITE + SaleVerifier.VERIFY;

  private OptimisticSale() {}

  /// Sells all or nothing. Returns the ids of the holds whose sale has failed its verification. If
  /// this throws, only `SaleRows.isNotCommitted` tells that nothing was committed.
  ///
  /// @param sales requests that `ConfirmRules` would sell on the assumed facts
  /// @param lockMax how long to wait for any one lock
  static Set<String> write(
      Connection connection,
      List<DecidedRequest> sales,
      SaleRows rows,
      String artifact,
      Duration lockMax)
      throws SQLException {
    var stocks = DecidedRequest.stockUnits(sales);
    try (var run = StatementRun.of(connection, WRITE_AND_VERIFY)) {
      run.text(Long.toString(lockMax.toMillis()))
          .rows(sales, columns -> columns.bytes(OptimisticSale::personHash))
          .rows(sales, columns -> bind(columns, artifact))
          .rows(stocks, StockUnits::bind)
          .text(ReplayKey.PROTOCOL)
          .text(ReplayKey.OPERATION)
          .text(artifact)
          .numbers(expected(sales, stocks.size()));
      SaleVerifier.bind(run, DecidedRequest.unverified(sales));
      run.execute().skip().skip().take(rows::read);
      return SaleVerifier.failed(run.skip());
    }
  }

  /// In the order of the counts in the last SELECT.
  private static long[] expected(List<DecidedRequest> sales, int stocks) {
    var count = sales.size();
    var pools = sales.stream().map(OptimisticSale::epochOf).distinct().count();
    var items = sales.stream().mapToLong(sale -> sale.soldHold().items().size()).sum();
    return new long[] {
      count, pools, stocks, items, 1, count, count, items, count, count, count, count
    };
  }

  private record PoolEpoch(String pool, long epoch) {}

  private static PoolEpoch epochOf(DecidedRequest sale) {
    return new PoolEpoch(sale.pool(), pinned(sale).epoch().value());
  }

  private static ArrayBinder<DecidedRequest> bind(
      ArrayBinder<DecidedRequest> columns, String artifact) throws SQLException {
    columns.text(DecidedRequest::pool).text(sale -> sale.request().hold().toString());
    return HoldColumns.origin(columns, DecidedRequest::soldHold)
        .number(sale -> sale.soldHold().pinNo())
        .number(sale -> pinned(sale).epoch().value())
        .moment(sale -> pinned(sale).deadline())
        .number(sale -> AdvisoryLocks.ofToken(sale.request()))
        .number(sale -> AdvisoryLocks.ofKey(sale.request()))
        .bytes(sale -> sale.request().token().value())
        .text(sale -> sale.request().digest().value())
        .text(DecidedRequest::text)
        .number(sale -> sale.request().pool().policy().commitWindow().toMillis())
        .text(sale -> sale.request().key())
        .bytes(sale -> ReplayKey.of(sale.request(), artifact).hashText())
        .text(sale -> sale.request().orderId())
        .text(sale -> sale.request().pool().policy().currency())
        .text(sale -> sale.request().unnamedAttemptId())
        .flag(sale -> sale.request().pool().kind().makesItems());
  }

  private static String personHash(DecidedRequest sale) {
    return HoldColumns.person(sale.soldHold()).hashText();
  }

  private static Pinned pinned(DecidedRequest sale) {
    return (Pinned) sale.request().intent();
  }
}
