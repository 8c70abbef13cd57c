package io.holdfast.commitment.claim;

import io.holdfast.commitment.ArtifactHash;
import io.holdfast.commitment.CommitSettings;
import io.holdfast.commitment.ConfirmRequest;
import io.holdfast.commitment.claim.ClaimOutcome.Done;
import io.holdfast.commitment.claim.ClaimOutcome.Refused;
import io.holdfast.commitment.sale.ConfirmRules;
import io.holdfast.commitment.sale.SaleRows;
import io.holdfast.journal.store.HoldRows;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.ItemId;
import io.holdfast.pool.PoolName;
import io.holdfast.pool.StoredOutcome.Reason;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.postgres.StatementRun;
import io.holdfast.postgres.Transaction;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Claims the items of a hold for a checkout at its fence (`ClaimItems`), and then sells them at
/// that fence (`SellClaimedItems`) or returns them. Each step is part of the caller's transaction,
/// together with the row of the step; no step commits. While a hold is claimed, its row has the odd
/// number of the pin, so neither another call nor `PinArbiter` can end it.
@Singleton
public final class CheckoutClaims {
  private static final String READ =
      """
      SELECT hold.*
        FROM (SELECT unnest(?::text[]) AS pool, unnest(?::text[]) AS hold_id,
                     unnest(?::bigint[]) AS fence) AS given
        JOIN hold ON hold.pool = given.pool AND hold.hold_id = given.hold_id
                 AND hold.fence = given.fence
      """;

  /// The items keep their fence. The hold takes the next pin number, which invalidates all earlier
  /// pins. Without the outbox entry Redis would keep the pin until the claim times out.
  private static final String GIVE_BACK =
      """
      WITH given AS MATERIALIZED (
          SELECT ?::text AS pool, ?::text AS hold_id, ?::bigint AS fence, ?::bigint AS pin_no),
      freed (hold_id, item, number) AS (
          UPDATE item
             SET status = 'FREE', holder = NULL, claim_until = NULL
            FROM given
           WHERE item.pool = given.pool
             AND item.item = ANY (?::text[])
             AND item.status = 'CLAIMED'
             AND item.holder = given.hold_id
             AND item.fence = given.fence
          RETURNING given.hold_id, item.item, item.version),
      stock_freed AS (
          UPDATE stock
             SET claimed = stock.claimed - (SELECT count(*) FROM freed)
            FROM given
           WHERE stock.pool = given.pool
          RETURNING stock.*),
      unclaimed AS (
          UPDATE hold
             SET pin_no = given.pin_no + 1
            FROM given
           WHERE hold.pool = given.pool
             AND hold.hold_id = given.hold_id
             AND hold.state = 'HELD'
             AND hold.pin_no = given.pin_no
          RETURNING 1),
      to_settle AS (
          INSERT INTO outbox (pool, hold_id, topic)
          SELECT pool, hold_id, 'settle' FROM given
          RETURNING 1)
      SELECT NULL::text AS hold_id, NULL::text AS item, 0::bigint AS number,
             NULL::bigint[] AS stock_level
       WHERE written_as_read(
                 ARRAY[(SELECT count(*) FROM freed), (SELECT count(*) FROM unclaimed),
                       (SELECT count(*) FROM to_settle)],
                 ?)
      UNION ALL SELECT *, NULL FROM freed
      UNION ALL SELECT NULL, pool, NULL, ARRAY[version, capacity, sold, claimed] FROM stock_freed
      """;

  private final CommitSettings settings;
  private final String artifact;

  CheckoutClaims(CommitSettings settings, ArtifactHash artifact) {
    this.settings = settings;
    this.artifact = artifact.hash();
  }

  /// Claims all of the items or none. A second claim at the same pin moves the end of the claim.
  ///
  /// @param request the sale to come, with the pinned hold; its token is not used
  /// @param cents what the buyer pays for the items
  public record Claim(ConfirmRequest request, Instant until, long cents) {}

  public ClaimOutcome claim(Transaction transaction, Claim claim) {
    return lone(claim(transaction, List.of(claim), true));
  }

  /// Sells the claimed items. Writes all rows of a sale except the outcome of a token.
  public ClaimOutcome sell(Transaction transaction, ConfirmRequest request) {
    return lone(sell(transaction, List.of(request), true));
  }

  /// Claims for many checkouts at once. Returns null for a claim whose rows another transaction has
  /// locked; nothing was written for it.
  ///
  /// @param isAlone whether to wait for locks of other transactions, and to answer in any case
  public List<@Nullable ClaimOutcome> claim(
      Transaction transaction, List<Claim> claims, boolean isAlone) {
    var requests = claims.stream().map(Claim::request).toList();
    return ClaimBatch.run(
        transaction, requests, new ClaimItems(claims), isAlone, settings.inflightWait());
  }

  /// Sells for many checkouts at once, in the same way.
  public List<@Nullable ClaimOutcome> sell(
      Transaction transaction, List<ConfirmRequest> requests, boolean isAlone) {
    var step = new SellClaimedItems(artifact);
    return ClaimBatch.run(transaction, requests, step, isAlone, settings.inflightWait());
  }

  /// The hold at the pin of its claim; empty if it is not claimed.
  public Optional<HoldRecord> claimed(Transaction transaction, HoldId hold) throws SQLException {
    return Optional.ofNullable(claimed(transaction, List.of(hold)).get(hold.toString()));
  }

  /// Those of the holds that are claimed, by their ids.
  public Map<String, HoldRecord> claimed(Transaction transaction, List<HoldId> holds)
      throws SQLException {
    var claimed = new HashMap<String, HoldRecord>();
    try (var run = StatementRun.of(transaction.connection(), READ)) {
      run.rows(
              holds,
              columns ->
                  columns
                      .text(hold -> hold.pool().value())
                      .text(HoldId::toString)
                      .number(hold -> hold.fence().value()))
          .execute()
          .take(
              row -> {
                var hold = HoldRows.record(row);
                if (ConfirmRules.isClaimed(hold)) {
                  claimed.put(row.getString("hold_id"), hold);
                }
              });
    }
    return claimed;
  }

  /// Whether a claim has timed out, by Postgres' clock.
  public boolean isOver(Transaction transaction, HoldId hold) throws SQLException {
    var sql =
        """
        SELECT bool_or(i.claim_until <= clock_timestamp())
          FROM hold h CROSS JOIN LATERAL unnest(h.items) AS held (item)
               JOIN item i ON i.pool = h.pool AND i.item = held.item
         WHERE h.pool = ? AND h.hold_id = ? AND i.status = 'CLAIMED' AND i.holder = h.hold_id
        """;
    try (var select = transaction.connection().prepareStatement(sql)) {
      select.setString(1, hold.pool().value());
      select.setString(2, hold.toString());
      try (var rows = select.executeQuery()) {
        return rows.next() && rows.getBoolean(1);
      }
    }
  }

  /// Returns the items: they are free, and the hold is HELD without a claim.
  public ClaimOutcome giveBack(Transaction transaction, PoolName pool, HoldRecord pinned) {
    var connection = transaction.connection();
    var rows = new SaleRows();
    try {
      var before = connection.setSavepoint();
      return ClaimBatch.isWritten(
              connection, before, () -> giveBack(connection, pool, pinned, rows))
          ? new Done(pinned, rows.versions(pinned.id(pool)), 0)
          : new Refused(Reason.NOT_HELD);
    } catch (SQLException e) {
      throw PostgresUnavailable.nothingChanged(e);
    }
  }

  private static void giveBack(
      Connection connection, PoolName pool, HoldRecord pinned, SaleRows rows) throws SQLException {
    try (var run = StatementRun.of(connection, GIVE_BACK)) {
      run.text(pool.value())
          .text(pinned.id(pool).toString())
          .number(pinned.fence().value())
          .number(pinned.pinNo())
          .rows(pinned.items(), columns -> columns.text(ItemId::value))
          .numbers(pinned.items().size(), 1, 1)
          .execute()
          .take(rows::read);
    }
  }

  private static ClaimOutcome lone(List<@Nullable ClaimOutcome> outcomes) {
    return Objects.requireNonNull(outcomes.getFirst());
  }
}
