package io.holdfast.commitment.sale;

import io.holdfast.commitment.PinResult.Pinned;
import io.holdfast.postgres.ArrayBinder;
import io.holdfast.postgres.StatementRun;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/// The second half of the careful path, after `LockAndRead` and `ConfirmRules`: writes what was
/// decided on each request, commits and verifies in one round trip. A request is sold, refused or
/// only recorded as attempted. Every statement repeats the condition that `ConfirmRules` found
/// true, so a fact that has changed since changes a row count, and nothing is committed.
final class CarefulSale {
  /// The order of the counts in the last SELECT is the order of execution.
  private static final String WRITE =
      """
      SELECT set_config('synchronous_commit',
                        CASE WHEN ? THEN current_setting('synchronous_commit') ELSE 'off' END, true);
      WITH request AS MATERIALIZED (
          SELECT unnest(?::text[]) AS pool, unnest(?::text[]) AS hold_id,
                 unnest(?::text[]) AS hold_caller, unnest(?::text[]) AS requester,
                 unnest(?::bytea[]) AS person_hash,
                 unnest(?::text[]) AS items, unnest(?::bigint[]) AS quantity,
                 unnest(?::text[]) AS metadata, unnest(?::bigint[]) AS fence,
                 unnest(?::text[]) AS salt, unnest(?::bytea[]) AS placing_token,
                 unnest(?::bigint[]) AS placed_ms, unnest(?::bigint[]) AS lease_until_ms,
                 unnest(?::bigint[]) AS lease_ms, unnest(?::bigint[]) AS expires_ms,
                 unnest(?::bigint[]) AS pin_no, unnest(?::boolean[]) AS is_sale,
                 unnest(?::bigint[]) AS deadline_ms, unnest(?::bigint[]) AS at_ms,
                 unnest(?::text[]) AS caller, unnest(?::bytea[]) AS token,
                 unnest(?::text[]) AS digest, unnest(?::text[]) AS outcome,
                 unnest(?::bigint[]) AS window_ms, unnest(?::text[]) AS logical_key,
                 unnest(?::bytea[]) AS replay_key, unnest(?::text[]) AS order_id,
                 unnest(?::text[]) AS currency,
                 unnest(?::bytea[]) AS nonce, unnest(?::text[]) AS attempt_id,
                 unnest(?::text[]) AS attempt_outcome, unnest(?::text[]) AS attempt_detail,
                 unnest(?::boolean[]) AS makes_items, unnest(?::bigint[]) AS freed_quantity),
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
            FROM request CROSS JOIN LATERAL unnest(string_to_array(items, E'\\n')) AS one (item)
           WHERE is_sale
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
          SELECT request.*,
                 (SELECT k.pseudonym FROM person_key k
                   WHERE k.person_hash = request.person_hash AND k.secret IS NOT NULL)
                 AS pseudonym,
                 greatest(moment.ms, at_ms) AS decided_ms,
                 greatest(moment.at, to_timestamp(at_ms::float8 / 1000)) AS decided_at
            FROM request CROSS JOIN moment),
      changed_hold AS (
          INSERT INTO hold AS old
                 (pool, hold_id, caller, requester, items, quantity, metadata, fence, salt,
                  token, placed_at, lease_until, lease_ms, expires_at, pin_no, state, ended_at,
                  freed_quantity, pseudonym)
          SELECT pool, hold_id, hold_caller, requester, string_to_array(items, E'\\n'), quantity,
                 metadata, fence, salt, placing_token, to_timestamp(placed_ms::float8 / 1000),
                 to_timestamp(lease_until_ms::float8 / 1000), lease_ms,
                 to_timestamp(expires_ms::float8 / 1000), pin_no,
                 (CASE WHEN is_sale THEN 'CONFIRMED' ELSE 'HELD' END)::hold_state,
                 CASE WHEN is_sale THEN decided_at END, freed_quantity, pseudonym
            FROM timed
           WHERE pin_no IS NOT NULL
           ORDER BY pool, fence
              ON CONFLICT (pool, hold_id) DO UPDATE
                 SET state = EXCLUDED.state, pin_no = EXCLUDED.pin_no,
                     items = EXCLUDED.items, quantity = EXCLUDED.quantity,
                     freed_quantity = EXCLUDED.freed_quantity,
                     ended_at = EXCLUDED.ended_at,
                     lease_until = CASE EXCLUDED.state WHEN 'HELD' THEN old.lease_until
                                                       ELSE EXCLUDED.lease_until END
               WHERE old.state = 'HELD'
                 AND old.pin_no <= EXCLUDED.pin_no
                 AND (old.pin_no % 2 = 0 OR old.pin_no = EXCLUDED.pin_no)
          RETURNING 1),
      consumed AS (
          INSERT INTO consumed_request
                 (pool, caller, logical_key, protocol_version, operation, target, artifact_hash,
                  owner_binding, run_id, replay_key, order_id, token, consumed_at)
          SELECT pool, caller, hashed(logical_key), ?, ?, hold_id, ?, pseudonym, pool, replay_key,
                 hashed(order_id), token, decided_at
            FROM timed
           WHERE is_sale
           ORDER BY pool, caller, logical_key
              ON CONFLICT DO NOTHING
          RETURNING 1),
      used_nonce AS (
          UPDATE authorization_nonce n
             SET consumed_at = timed.decided_at, consumed_by = hashed(timed.logical_key)
            FROM timed
           WHERE timed.is_sale
             AND n.pool = timed.pool
             AND n.nonce_hash = timed.nonce
             AND n.hold_id = timed.hold_id
             AND n.operation = 'confirm'
             AND n.consumed_at IS NULL
          RETURNING 1),
      committed AS (
          INSERT INTO commitment
                 (pool, item, hold_id, fence, caller, requester, order_id, logical_key,
                  price_cents, currency, committed_at)
          SELECT pool, item, hold_id, fence, hold_caller, requester, order_id, logical_key,
                 CASE WHEN makes_items
                      THEN coalesce((SELECT price_cents FROM stock
                                      WHERE stock.pool = timed.pool), 0)
                      ELSE (SELECT i.price_cents FROM item i
                             WHERE i.pool = timed.pool AND i.item = one.item) END,
                 currency, decided_at
            FROM timed CROSS JOIN LATERAL unnest(string_to_array(items, E'\\n')) AS one (item)
           WHERE is_sale
           ORDER BY pool, item
              ON CONFLICT DO NOTHING
          RETURNING 1),
      recorded AS (
          INSERT INTO token_result AS old
                 (pool, caller, token, action, digest, digest_function, outcome, recorded_at,
                  window_until)
          SELECT pool, caller, token, 'confirm', split_part(digest, ':', 2),
                 split_part(digest, ':', 1), replace(outcome, E'\\x01', decided_ms::text),
                 decided_at, decided_at + window_ms * interval '1 millisecond'
            FROM timed
           WHERE outcome IS NOT NULL
           ORDER BY pool, caller, token
              ON CONFLICT (pool, caller, token) DO UPDATE
                 SET action = EXCLUDED.action, digest = EXCLUDED.digest,
                     digest_function = EXCLUDED.digest_function, outcome = EXCLUDED.outcome,
                     recorded_at = EXCLUDED.recorded_at, window_until = EXCLUDED.window_until
               WHERE old.window_until <= clock_timestamp()
          RETURNING 1),
      to_settle (hold_id, item, number) AS (
          INSERT INTO outbox (pool, hold_id, topic)
          SELECT pool, hold_id, 'settle' FROM timed WHERE is_sale
          RETURNING hold_id, NULL, id),
      event AS (
          INSERT INTO event_fresh (pool, type, subject, data)
          SELECT pool, 'hold.confirmed', hold_id, '' FROM timed WHERE is_sale
          RETURNING 1),
      attempted AS (
          INSERT INTO attempt (pool, caller, token, attempt_id, action, hold_id, logical_key,
                               outcome, detail)
          SELECT pool, caller, token, attempt_id, 'confirm', hold_id, hashed(logical_key),
                 attempt_outcome, attempt_detail
            FROM timed
           WHERE attempt_outcome IS NOT NULL
          RETURNING 1)
      SELECT NULL::text AS hold_id, NULL::text AS item, (SELECT ms FROM moment) AS number,
             NULL::bigint[] AS stock_level
       WHERE written_as_read(
                 ARRAY[(SELECT count(*) FROM stock_sold),
                       (SELECT count(*) FROM sold) + (SELECT count(*) FROM made),
                       (SELECT count(*) FROM in_time),
                       (SELECT count(*) FROM changed_hold), (SELECT count(*) FROM consumed),
                       (SELECT count(*) FROM used_nonce), (SELECT count(*) FROM committed),
                       (SELECT count(*) FROM recorded), (SELECT count(*) FROM to_settle),
                       (SELECT count(*) FROM event), (SELECT count(*) FROM attempted)],
                 ?)
      UNION ALL SELECT *, NULL FROM sold
      UNION ALL SELECT *, NULL FROM made
      UNION ALL SELECT *, NULL FROM to_settle
      UNION ALL SELECT NULL, pool, NULL, ARRAY[version, capacity, sold, claimed] FROM stock_sold;
      COMMIT;
      """;

  private static final String WRITE_AND_VERIFY = WRITE + SaleVerifier.VERIFY;

  private CarefulSale() {}

  /// Writes all or nothing. Returns the ids of the holds whose sale has failed its verification. If
  /// this throws, only `SaleRows.isNotCommitted` tells that nothing was committed.
  static Set<String> write(
      Connection connection, List<DecidedRequest> requests, SaleRows rows, String artifact)
      throws SQLException {
    var unverified = DecidedRequest.unverified(requests);
    var stocks = DecidedRequest.stockUnits(requests);
    var sql = unverified.isEmpty() ? WRITE : WRITE_AND_VERIFY;
    try (var run = StatementRun.of(connection, sql)) {
      run.flag(requests.stream().anyMatch(DecidedRequest::isRecorded))
          .rows(requests, columns -> bind(columns, artifact))
          .rows(stocks, StockUnits::bind)
          .text(ReplayKey.PROTOCOL)
          .text(ReplayKey.OPERATION)
          .text(artifact)
          .numbers(expected(requests, stocks.size()));
      if (unverified.isEmpty()) {
        run.execute().skip().take(rows::read);
        run.skip();
        return Set.of();
      }
      SaleVerifier.bind(run, unverified);
      run.execute().skip().take(rows::read);
      return SaleVerifier.failed(run.skip());
    }
  }

  /// In the order of the counts in the last SELECT.
  private static long[] expected(List<DecidedRequest> requests, int stocks) {
    var sales = count(requests, DecidedRequest::isSale);
    var items =
        requests.stream()
            .filter(DecidedRequest::isSale)
            .mapToLong(sale -> sale.soldHold().items().size())
            .sum();
    return new long[] {
      stocks,
      items,
      sales == 0 ? 0 : 1,
      count(requests, request -> request.changedHold() != null),
      sales,
      count(requests, request -> request.isSale() && request.request().nonceHash() != null),
      items,
      count(requests, DecidedRequest::isRecorded),
      sales,
      sales,
      count(requests, DecidedRequest::isAttempt)
    };
  }

  private static long count(List<DecidedRequest> requests, Predicate<DecidedRequest> what) {
    return requests.stream().filter(what).count();
  }

  private static ArrayBinder<DecidedRequest> bind(
      ArrayBinder<DecidedRequest> columns, String artifact) throws SQLException {
    columns.text(DecidedRequest::pool).text(decided -> decided.request().hold().toString());
    return HoldColumns.origin(columns, DecidedRequest::changedHold)
        .number(DecidedRequest::changedPinNo)
        .flag(DecidedRequest::isSale)
        .moment(
            decided ->
                decided.request().intent() instanceof Pinned(_, var deadline, _) ? deadline : null)
        .moment(DecidedRequest::decidedAt)
        .text(decided -> decided.request().caller())
        .bytes(decided -> decided.request().token().value())
        .text(decided -> decided.request().digest().value())
        .text(decided -> decided.isRecorded() ? decided.text() : null)
        .number(decided -> decided.request().pool().policy().commitWindow().toMillis())
        .text(decided -> decided.request().key())
        .bytes(decided -> ReplayKey.of(decided.request(), artifact).hashText())
        .text(decided -> decided.request().orderId())
        .text(decided -> decided.request().pool().policy().currency())
        .bytes(decided -> decided.request().nonceHash())
        .text(decided -> decided.request().unnamedAttemptId())
        .text(DecidedRequest::attemptOutcome)
        .text(decided -> decided.isReplay() ? "replayed" : "")
        .flag(decided -> decided.request().pool().kind().makesItems())
        .number(DecidedRequest::freedQuantity);
  }
}
