package io.holdfast.commitment;

import io.holdfast.commitment.ClaimBatch.Change;
import io.holdfast.commitment.ClaimBatch.Part;
import io.holdfast.commitment.ClaimOutcome.Done;
import io.holdfast.commitment.ClaimOutcome.NotNow;
import io.holdfast.commitment.ClaimOutcome.Refused;
import io.holdfast.commitment.ConfirmVerdict.Nothing;
import io.holdfast.commitment.ConfirmVerdict.Prior;
import io.holdfast.commitment.ConfirmVerdict.Refuse;
import io.holdfast.commitment.ConfirmVerdict.Repeat;
import io.holdfast.commitment.ConfirmVerdict.Sell;
import io.holdfast.commitment.ItemState.Status;
import io.holdfast.commitment.PinResult.Pinned;
import io.holdfast.events.EventWriter;
import io.holdfast.journal.store.HoldRows;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.PoolName;
import io.holdfast.pool.StoredOutcome.Reason;
import io.holdfast.postgres.Columns;
import io.holdfast.postgres.LoneRow;
import io.holdfast.postgres.PostgresUnavailable;
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

/// What a checkout does with the items of a hold: claims them at its fence, and sells them at that
/// same fence or gives them back. Each step is a part of the caller's transaction, beside the
/// step's own row; none of them commits. While a hold is claimed its row has the odd number of the
/// pin, so neither another call nor the resolver can end it.
@Singleton
public final class CheckoutClaims {
  /// By the fence as well, for which `ReadingSql` tells the reason.
  private static final String ROWS =
      """
      SELECT hold.*
        FROM unnest(?::text[], ?::text[], ?::bigint[]) AS given (pool, hold_id, fence)
        JOIN hold USING (pool, hold_id, fence)
      """;

  private final CommitSettings settings;
  private final String artifact;

  CheckoutClaims(CommitSettings settings, ArtifactHash artifact) {
    this.settings = settings;
    this.artifact = artifact.hash();
  }

  /// All of the items or none. Claiming again at the same pin moves the end of the claim.
  ///
  /// @param request what will be sold, with the hold that is pinned; its token has no part in this
  public record Claim(ConfirmRequest request, Instant until) {}

  public ClaimOutcome claim(Transaction transaction, ConfirmRequest request, Instant claimUntil) {
    return lone(claim(transaction, List.of(new Claim(request, claimUntil)), true));
  }

  /// Sells what was claimed, with all that belongs to a sale but the outcome of a token.
  public ClaimOutcome sell(Transaction transaction, ConfirmRequest request) {
    return lone(sell(transaction, List.of(request), true));
  }

  /// Many claims at once. Whoever is in somebody's way comes to null, and nothing was written for
  /// it.
  ///
  /// @param isAlone whether to wait for locks that somebody else has, and to answer in any case
  public List<@Nullable ClaimOutcome> claim(
      Transaction transaction, List<Claim> claims, boolean isAlone) {
    var requests = claims.stream().map(Claim::request).toList();
    var change =
        new Change(
            CheckoutClaims::refusalOfClaim,
            part -> part.pinned().hold(),
            parts -> claiming(transaction.connection(), claims, parts));
    return ClaimBatch.run(transaction, requests, change, isAlone, settings.inflightWait());
  }

  /// Many sales at once, in the same way.
  public List<@Nullable ClaimOutcome> sell(
      Transaction transaction, List<ConfirmRequest> requests, boolean isAlone) {
    var change =
        new Change(
            CheckoutClaims::refusalOfSale,
            CheckoutClaims::sold,
            parts -> selling(transaction.connection(), parts));
    return ClaimBatch.run(transaction, requests, change, isAlone, settings.inflightWait());
  }

  /// The hold at the pin that it was claimed at; empty if nothing of it is claimed.
  public Optional<HoldRecord> claimed(Transaction transaction, HoldId hold) throws SQLException {
    return Optional.ofNullable(claimed(transaction, List.of(hold)).get(hold.toString()));
  }

  /// Those of the holds that are claimed, by their ids.
  public Map<String, HoldRecord> claimed(Transaction transaction, List<HoldId> holds)
      throws SQLException {
    var connection = transaction.connection();
    var isLone = holds.size() == 1;
    try (var select = connection.prepareStatement(isLone ? LoneRow.text(ROWS) : ROWS)) {
      new Columns.Slots(connection, select, 1, isLone)
          .of(holds)
          .text(hold -> hold.pool().value())
          .text(HoldId::toString)
          .number(hold -> hold.fence().value());
      var claimed = new HashMap<String, HoldRecord>();
      try (var rows = select.executeQuery()) {
        while (rows.next()) {
          var hold = HoldRows.record(rows);
          if (ConfirmRules.isClaimed(hold)) {
            claimed.put(rows.getString("hold_id"), hold);
          }
        }
      }
      return claimed;
    }
  }

  /// Whether the time of a claim has run out, by Postgres' clock.
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

  /// Items become free and keep their fence; the hold is plain again, and all pins so far are shut
  /// out. The relay tells Redis, which otherwise keeps the pin for as long as the claim could have
  /// lasted.
  public ClaimOutcome giveBack(Transaction transaction, PoolName pool, HoldRecord pinned) {
    try {
      var before = transaction.connection().setSavepoint();
      var moves = ItemUpdates.moves(pool, pinned, Status.FREE, null, pinned.placedAt()).toList();
      var writing = new Writing(transaction.connection(), true);
      var write = new HoldUpsert(pool, pinned, pinned.pinNo() + 1);
      writing
          .add(HoldUpsert.UNCLAIM, List.of(write), HoldUpsert::bindClaim)
          .add(ItemUpdates.GIVE_BACK, moves, ItemUpdates::bindBack)
          .add(Sale.TELL_REDIS, List.of(write), HoldUpsert::bindName);
      return ClaimBatch.isDoneOrUndone(transaction.connection(), before, writing)
          ? new Done(pinned, writing.versions(pinned.id(pool).toString()), 0)
          : new Refused(Reason.NOT_HELD);
    } catch (SQLException e) {
      throw PostgresUnavailable.nothingChanged(e);
    }
  }

  private static ClaimOutcome lone(List<@Nullable ClaimOutcome> outcomes) {
    return Objects.requireNonNull(outcomes.getFirst());
  }

  private static @Nullable ClaimOutcome refusalOfClaim(
      ConfirmRequest request, LockedFacts facts, Pinned pinned) {
    return switch (ConfirmRules.judgeClaim(request, facts, pinned)) {
      case Refuse(var outcome, _) -> new Refused(outcome);
      case Nothing(var outcome) -> new NotNow(outcome);
      case Prior _, Repeat _ -> new Refused(Reason.REPLAY_DUPLICATE);
      case Sell _ -> null;
    };
  }

  private static Writing claiming(Connection connection, List<Claim> claims, List<Part> parts) {
    var writes = parts.stream().map(part -> write(part, part.pinned().hold())).toList();
    var moves =
        parts.stream()
            .flatMap(
                part ->
                    ItemUpdates.moves(
                        part.request().pool().name(),
                        part.pinned().hold(),
                        Status.CLAIMED,
                        claims.get(part.place()).until,
                        part.pinned().deadline()))
            .toList();
    return new Writing(connection, true)
        .add(HoldUpsert.UPSERT, writes, HoldUpsert::bind)
        .add(ItemUpdates.TAKE, moves, ItemUpdates::bind);
  }

  private static @Nullable ClaimOutcome refusalOfSale(
      ConfirmRequest request, LockedFacts facts, Pinned pinned) {
    var row = facts.hold();
    var isOurs = row != null && ConfirmRules.isClaimed(row) && row.pinNo() == pinned.hold().pinNo();
    if (facts.consumed() != null) {
      return new Refused(Reason.REPLAY_DUPLICATE);
    }
    if (!isOurs) {
      return new Refused(Reason.NOT_HELD);
    }
    return facts.items().stream().allMatch(item -> ConfirmRules.isClaimInTime(item, facts.now()))
        ? null
        : new Refused(Reason.ELAPSED);
  }

  private Writing selling(Connection connection, List<Part> parts) {
    var sales = parts.stream().map(this::sale).toList();
    var moves = sales.stream().flatMap(Sale::moves).toList();
    var writes = parts.stream().map(part -> write(part, sold(part))).toList();
    return new Writing(connection, true)
        .add(HoldUpsert.UPSERT, writes, HoldUpsert::bind)
        .add(ItemUpdates.SELL_CLAIMED, moves, ItemUpdates::bind)
        .add(Sale.CONSUME, sales, Sale::bindConsumed)
        .add(Sale.COMMIT_ITEMS, sales, Sale::bindItems, moves.size())
        .add(Sale.TELL_REDIS, sales, Sale::bindHold)
        .add(EventWriter.SOLD, sales, Sale::bindHold);
  }

  private Sale sale(Part part) {
    return new Sale(
        part.request(), sold(part), part.facts().items(), ReplayKey.of(part.request(), artifact));
  }

  private static HoldRecord sold(Part part) {
    return ConfirmRules.sold(part.pinned().hold(), part.facts().now());
  }

  private static HoldUpsert write(Part part, HoldRecord hold) {
    return new HoldUpsert(part.request().pool().name(), hold, hold.pinNo());
  }
}
