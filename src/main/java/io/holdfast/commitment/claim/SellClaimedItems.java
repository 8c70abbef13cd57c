package io.holdfast.commitment.claim;

import io.holdfast.commitment.ConfirmRequest;
import io.holdfast.commitment.PinResult.Pinned;
import io.holdfast.commitment.claim.ClaimBatch.Allowed;
import io.holdfast.commitment.sale.ConfirmRules;
import io.holdfast.commitment.sale.HoldColumns;
import io.holdfast.commitment.sale.LockedFacts;
import io.holdfast.commitment.sale.ReplayKey;
import io.holdfast.commitment.sale.SaleRows;
import io.holdfast.commitment.sale.StockUnits;
import io.holdfast.pool.HoldRecord;
import io.holdfast.postgres.ArrayBinder;
import io.holdfast.postgres.StatementRun;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Sells items to the checkouts that have claimed them. The result of a token is not part of it: a
/// checkout records its own. Nothing is sold after `claim_until`, which is never later than the
/// hold's window.
record SellClaimedItems(String artifact) implements ClaimBatch.Step {
  private static final String WRITE =
      """
      WITH sale AS MATERIALIZED (
          SELECT unnest(?::text[]) AS pool, unnest(?::text[]) AS hold_id,
                 unnest(?::text[]) AS caller, unnest(?::text[]) AS requester,
                 unnest(?::bytea[]) AS person_hash,
                 unnest(?::text[]) AS items, unnest(?::bigint[]) AS quantity,
                 unnest(?::text[]) AS metadata, unnest(?::bigint[]) AS fence,
                 unnest(?::text[]) AS salt, unnest(?::bytea[]) AS placing_token,
                 unnest(?::bigint[]) AS placed_ms, unnest(?::bigint[]) AS lease_until_ms,
                 unnest(?::bigint[]) AS lease_ms, unnest(?::bigint[]) AS expires_ms,
                 unnest(?::bigint[]) AS pin_no,
                 to_timestamp(unnest(?::bigint[])::float8 / 1000) AS sold_at,
                 unnest(?::text[]) AS request_caller, unnest(?::bytea[]) AS token,
                 unnest(?::text[]) AS logical_key, unnest(?::bytea[]) AS replay_key,
                 unnest(?::text[]) AS order_id,
                 unnest(?::text[]) AS currency, unnest(?::bytea[]) AS nonce),
      stock_sold AS (
          UPDATE stock
             SET claimed = stock.claimed - given.units, sold = stock.sold + given.units,
                 version = stock.version + 1
            FROM (SELECT unnest(?::text[]) AS pool, unnest(?::bigint[]) AS units,
                         unnest(?::bigint[]) AS version) AS given
           WHERE stock.pool = given.pool
             AND stock.version = given.version
          RETURNING stock.*),
      person AS MATERIALIZED (
          SELECT k.person_hash, k.pseudonym
            FROM (SELECT DISTINCT person_hash FROM sale) AS buyer
            JOIN person_key k ON k.person_hash = buyer.person_hash AND k.secret IS NOT NULL),
      wanted AS MATERIALIZED (
          SELECT pool, item, hold_id, fence
            FROM sale CROSS JOIN LATERAL unnest(string_to_array(items, E'\\n')) AS one (item)
           ORDER BY pool, item),
      sold (hold_id, item, number) AS (
          UPDATE item
             SET status = 'SOLD', claim_until = NULL
            FROM wanted
           WHERE item.pool = wanted.pool
             AND item.item = wanted.item
             AND item.status = 'CLAIMED'
             AND item.holder = wanted.hold_id
             AND item.fence = wanted.fence
             AND clock_timestamp() < item.claim_until
          RETURNING item.holder, item.item, item.version),
      confirmed AS (
          INSERT INTO hold AS old
                 (pool, hold_id, caller, requester, items, quantity, metadata, fence, salt,
                  token, placed_at, lease_until, lease_ms, expires_at, pin_no, state, ended_at,
                  pseudonym)
          SELECT pool, hold_id, caller, requester, string_to_array(items, E'\\n'), quantity,
                 metadata, fence, salt, placing_token, to_timestamp(placed_ms::float8 / 1000),
                 to_timestamp(lease_until_ms::float8 / 1000), lease_ms,
                 to_timestamp(expires_ms::float8 / 1000), pin_no, 'CONFIRMED', sold_at, pseudonym
            FROM sale JOIN person USING (person_hash)
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
          SELECT pool, request_caller, hashed(logical_key), ?, ?, hold_id, ?, pseudonym, pool,
                 replay_key, hashed(order_id), token, sold_at
            FROM sale JOIN person USING (person_hash)
           ORDER BY pool, request_caller, logical_key
              ON CONFLICT DO NOTHING
          RETURNING 1),
      used_nonce AS (
          UPDATE authorization_nonce n
             SET consumed_at = sale.sold_at, consumed_by = hashed(sale.logical_key)
            FROM sale
           WHERE n.pool = sale.pool
             AND n.nonce_hash = sale.nonce
             AND n.hold_id = sale.hold_id
             AND n.operation = 'confirm'
             AND n.consumed_at IS NULL
          RETURNING 1),
      committed AS (
          INSERT INTO commitment
                 (pool, item, hold_id, fence, caller, requester, order_id, logical_key,
                  price_cents, currency, committed_at)
          SELECT pool, item, hold_id, fence, caller, requester, order_id, logical_key,
                 (SELECT i.price_cents FROM item i WHERE i.pool = sale.pool AND i.item = one.item),
                 currency, sold_at
            FROM sale CROSS JOIN LATERAL unnest(string_to_array(items, E'\\n')) AS one (item)
           ORDER BY pool, item
              ON CONFLICT DO NOTHING
          RETURNING 1),
      to_settle (hold_id, item, number) AS (
          INSERT INTO outbox (pool, hold_id, topic)
          SELECT pool, hold_id, 'settle' FROM sale
          RETURNING hold_id, NULL, id),
      event AS (
          INSERT INTO event_fresh (pool, type, subject, data)
          SELECT pool, 'hold.confirmed', hold_id, '' FROM sale
          RETURNING 1)
      SELECT NULL::text AS hold_id, NULL::text AS item, 0::bigint AS number,
             NULL::bigint[] AS stock_level
       WHERE written_as_read(
                 ARRAY[(SELECT count(*) FROM stock_sold), (SELECT count(*) FROM sold),
                       (SELECT count(*) FROM confirmed),
                       (SELECT count(*) FROM consumed), (SELECT count(*) FROM used_nonce),
                       (SELECT count(*) FROM committed), (SELECT count(*) FROM to_settle),
                       (SELECT count(*) FROM event)],
                 ?)
      UNION ALL SELECT *, NULL FROM sold
      UNION ALL SELECT *, NULL FROM to_settle
      UNION ALL SELECT NULL, pool, NULL, ARRAY[version, capacity, sold, claimed] FROM stock_sold
      """;

  @Override
  public @Nullable ClaimOutcome refusal(
      int place, ConfirmRequest request, LockedFacts facts, Pinned pinned) {
    return ConfirmRules.refusalOfClaimedSale(request, facts, pinned);
  }

  @Override
  public HoldRecord after(Allowed allowed) {
    return ConfirmRules.sold(allowed.pinned().hold(), allowed.facts().now());
  }

  @Override
  public void write(Connection connection, List<Allowed> sales, SaleRows rows) throws SQLException {
    var count = sales.size();
    var items = sales.stream().mapToLong(sale -> sale.pinned().hold().items().size()).sum();
    var nonces = sales.stream().filter(sale -> sale.request().nonceHash() != null).count();
    var stocks =
        StockUnits.of(
            sales,
            Allowed::pool,
            sale -> sale.facts().stock(),
            sale -> sale.pinned().hold().items().size());
    try (var run = StatementRun.of(connection, WRITE)) {
      run.rows(sales, this::bind)
          .rows(stocks, StockUnits::bind)
          .text(ReplayKey.PROTOCOL)
          .text(ReplayKey.OPERATION)
          .text(artifact)
          .numbers(stocks.size(), items, count, count, nonces, items, count, count)
          .execute()
          .take(rows::read);
    }
  }

  private ArrayBinder<Allowed> bind(ArrayBinder<Allowed> columns) throws SQLException {
    columns.text(Allowed::pool).text(Allowed::holdId);
    return HoldColumns.origin(columns, this::after)
        .number(sale -> sale.pinned().hold().pinNo())
        .moment(sale -> after(sale).endedAt())
        .text(sale -> sale.request().caller())
        .bytes(sale -> sale.request().token().value())
        .text(sale -> sale.request().key())
        .bytes(sale -> ReplayKey.of(sale.request(), artifact).hashText())
        .text(sale -> sale.request().orderId())
        .text(sale -> sale.request().pool().policy().currency())
        .bytes(sale -> sale.request().nonceHash());
  }
}
