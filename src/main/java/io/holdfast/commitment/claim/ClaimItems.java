package io.holdfast.commitment.claim;

import io.holdfast.commitment.ConfirmRequest;
import io.holdfast.commitment.PinResult.Pinned;
import io.holdfast.commitment.claim.CheckoutClaims.Claim;
import io.holdfast.commitment.claim.ClaimBatch.Allowed;
import io.holdfast.commitment.claim.ClaimOutcome.NotNow;
import io.holdfast.commitment.claim.ClaimOutcome.OtherPrice;
import io.holdfast.commitment.claim.ClaimOutcome.Refused;
import io.holdfast.commitment.sale.ConfirmRules;
import io.holdfast.commitment.sale.ConfirmVerdict.Nothing;
import io.holdfast.commitment.sale.ConfirmVerdict.Prior;
import io.holdfast.commitment.sale.ConfirmVerdict.Refuse;
import io.holdfast.commitment.sale.ConfirmVerdict.Repeat;
import io.holdfast.commitment.sale.ConfirmVerdict.Sell;
import io.holdfast.commitment.sale.HoldColumns;
import io.holdfast.commitment.sale.LockedFacts;
import io.holdfast.commitment.sale.SaleRows;
import io.holdfast.commitment.sale.StockUnits;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.StoredOutcome.Reason;
import io.holdfast.postgres.StatementRun;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Claims the items of holds for their checkouts, if they cost what the buyers agreed to. The hold
/// row keeps the odd number of its pin while its items are claimed, so nothing else can end the
/// hold. A claimed item keeps its price, so it is sold at the price of its claim. A unit takes the
/// price of its stock with each claim.
///
/// @param claims in the order of the requests
record ClaimItems(List<Claim> claims) implements ClaimBatch.Step {
  private static final String WRITE =
      """
      WITH claim AS MATERIALIZED (
          SELECT unnest(?::text[]) AS pool, unnest(?::text[]) AS hold_id,
                 unnest(?::text[]) AS caller, unnest(?::text[]) AS requester,
                 unnest(?::bytea[]) AS person_hash,
                 unnest(?::text[]) AS items, unnest(?::bigint[]) AS quantity,
                 unnest(?::text[]) AS metadata, unnest(?::bigint[]) AS fence,
                 unnest(?::text[]) AS salt, unnest(?::bytea[]) AS placing_token,
                 unnest(?::bigint[]) AS placed_ms, unnest(?::bigint[]) AS lease_until_ms,
                 unnest(?::bigint[]) AS lease_ms, unnest(?::bigint[]) AS expires_ms,
                 unnest(?::bigint[]) AS pin_no, unnest(?::bigint[]) AS deadline_ms,
                 unnest(?::bigint[]) AS claim_until_ms, unnest(?::boolean[]) AS makes_items),
      stock_claimed AS (
          UPDATE stock
             SET claimed = stock.claimed + given.units
            FROM (SELECT unnest(?::text[]) AS pool, unnest(?::bigint[]) AS units,
                         unnest(?::bigint[]) AS version) AS given
           WHERE stock.pool = given.pool
             AND stock.sold + stock.claimed + given.units <= stock.capacity
             AND stock.version = given.version
          RETURNING stock.*),
      wanted AS MATERIALIZED (
          SELECT pool, item, hold_id, fence, makes_items,
                 to_timestamp(deadline_ms::float8 / 1000) AS deadline,
                 to_timestamp(claim_until_ms::float8 / 1000) AS claim_until
            FROM claim CROSS JOIN LATERAL unnest(string_to_array(items, E'\\n')) AS one (item)
           ORDER BY pool, item),
      claimed (hold_id, item, number) AS (
          UPDATE item
             SET status = 'CLAIMED', fence = wanted.fence, holder = wanted.hold_id,
                 claim_until = wanted.claim_until
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
          INSERT INTO item AS old (pool, item, ordinal, price_cents, status, fence, holder,
                                   claim_until)
          SELECT wanted.pool, item, CASE WHEN stock.pool IS NULL THEN nextval('item_made') END,
                 coalesce(stock.price_cents, 0), 'CLAIMED', fence, hold_id, claim_until
            FROM wanted LEFT JOIN stock ON stock.pool = wanted.pool
           WHERE makes_items AND clock_timestamp() < deadline
              ON CONFLICT (pool, item) DO UPDATE
                 SET status = EXCLUDED.status, fence = EXCLUDED.fence, holder = EXCLUDED.holder,
                     claim_until = EXCLUDED.claim_until,
                     price_cents = CASE old.status WHEN 'FREE' THEN EXCLUDED.price_cents
                                                   ELSE old.price_cents END
               WHERE old.status = 'FREE' AND old.fence <= EXCLUDED.fence
                  OR old.status = 'CLAIMED' AND old.holder = EXCLUDED.holder
                     AND old.fence = EXCLUDED.fence
          RETURNING old.holder, old.item, old.version),
      pinned AS (
          INSERT INTO hold AS old
                 (pool, hold_id, caller, requester, items, quantity, metadata, fence, salt,
                  token, placed_at, lease_until, lease_ms, expires_at, pin_no, state,
                  pseudonym)
          SELECT pool, hold_id, caller, requester, string_to_array(items, E'\\n'), quantity,
                 metadata, fence, salt, placing_token, to_timestamp(placed_ms::float8 / 1000),
                 to_timestamp(lease_until_ms::float8 / 1000), lease_ms,
                 to_timestamp(expires_ms::float8 / 1000), pin_no, 'HELD',
                 (SELECT k.pseudonym FROM person_key k
                   WHERE k.person_hash = claim.person_hash AND k.secret IS NOT NULL)
            FROM claim
           ORDER BY pool, fence
              ON CONFLICT (pool, hold_id) DO UPDATE
                 SET pin_no = EXCLUDED.pin_no
               WHERE old.state = 'HELD'
                 AND old.pin_no <= EXCLUDED.pin_no
                 AND (old.pin_no % 2 = 0 OR old.pin_no = EXCLUDED.pin_no)
          RETURNING 1)
      SELECT NULL::text AS hold_id, NULL::text AS item, 0::bigint AS number,
             NULL::bigint[] AS stock_level
       WHERE written_as_read(
                 ARRAY[(SELECT count(*) FROM stock_claimed),
                       (SELECT count(*) FROM claimed) + (SELECT count(*) FROM made),
                       (SELECT count(*) FROM pinned)],
                 ?)
      UNION ALL SELECT *, NULL FROM claimed
      UNION ALL SELECT *, NULL FROM made
      UNION ALL SELECT NULL, pool, NULL, ARRAY[version, capacity, sold, claimed] FROM stock_claimed
      """;

  @Override
  public @Nullable ClaimOutcome refusal(
      int place, ConfirmRequest request, LockedFacts facts, Pinned pinned) {
    return switch (ConfirmRules.decideClaim(request, facts, pinned)) {
      case Refuse(var outcome, _) -> new Refused(outcome);
      case Nothing(var outcome) -> new NotNow(outcome);
      case Prior _, Repeat _ -> new Refused(Reason.REPLAY_DUPLICATE);
      case Sell _ ->
          facts.cents() == claims.get(place).cents() ? null : new OtherPrice(facts.cents());
    };
  }

  @Override
  public HoldRecord after(Allowed allowed) {
    return allowed.pinned().hold();
  }

  @Override
  public void write(Connection connection, List<Allowed> allowed, SaleRows rows)
      throws SQLException {
    var items = allowed.stream().mapToLong(claim -> claim.pinned().hold().items().size()).sum();
    var stocks = Allowed.stockUnits(allowed);
    try (var run = StatementRun.of(connection, WRITE)) {
      run.rows(
              allowed,
              columns ->
                  HoldColumns.origin(
                          columns.text(Allowed::pool).text(Allowed::holdId),
                          claim -> claim.pinned().hold())
                      .number(claim -> claim.pinned().hold().pinNo())
                      .moment(claim -> claim.pinned().deadline())
                      .moment(claim -> claims.get(claim.place()).until())
                      .flag(claim -> claim.request().pool().kind().makesItems()))
          .rows(stocks, StockUnits::bind)
          .numbers(stocks.size(), items, allowed.size())
          .execute()
          .take(rows::read);
    }
  }
}
