package io.holdfast.checkout;

import io.holdfast.checkout.StepOutcome.Crew;
import io.holdfast.checkout.StepOutcome.Done;
import io.holdfast.checkout.StepOutcome.Failed;
import io.holdfast.checkout.StepOutcome.Open;
import io.holdfast.checkout.StepOutcome.Shared;
import io.holdfast.checkout.StepOutcome.Unknown;
import io.holdfast.commitment.ClaimOutcome;
import io.holdfast.commitment.Claims;
import io.holdfast.commitment.Confirm;
import io.holdfast.commitment.Intent;
import io.holdfast.commitment.Reversals;
import io.holdfast.commitment.Reversals.Reason;
import io.holdfast.hold.Intents;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.HoldRecord;
import io.holdfast.postgres.HoldRows;
import io.holdfast.postgres.Transaction;
import jakarta.inject.Singleton;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Sells what was claimed, at the fence it was claimed at. Payment that came after the claim had
/// run out buys a new hold of the same items, if they are still free.
@Singleton
final class CommitStep implements Step {
  static final String NAME = "commit";

  private final Claims claims;
  private final Reversals reversals;
  private final Purchases purchases;
  private final SecondHold second;
  private final Intents intents;
  private final HoldRows rows;
  private final Crew<Sold> crew = this::sell;

  CommitStep(
      Claims claims,
      Reversals reversals,
      Purchases purchases,
      SecondHold second,
      Intents intents,
      HoldRows rows) {
    this.claims = claims;
    this.reversals = reversals;
    this.purchases = purchases;
    this.second = second;
    this.intents = intents;
    this.rows = rows;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String reached() {
    return "COMMITTED";
  }

  @Override
  public boolean isLocal() {
    return true;
  }

  @Override
  public StepOutcome act(Run run, String callId) {
    return run.claimUntil() == null
        ? second.sell(run, callId)
        : new Open(new Shared<>(crew, new Sold(run, callId)));
  }

  /// What a run has claimed, to be sold by this call.
  private record Sold(Run run, String callId) {
    HoldId hold() {
      return Purchases.hold(run);
    }
  }

  private List<@Nullable StepOutcome> sell(Transaction tx, List<Sold> wishes, boolean isAlone)
      throws SQLException {
    var claimed = claims.claimed(tx, wishes.stream().map(Sold::hold).toList());
    var isThere = wishes.stream().map(wish -> claimed.containsKey(wish.hold().toString())).toList();
    var there = wishes.stream().filter(wish -> claimed.containsKey(wish.hold().toString()));
    var requests = there.map(wish -> request(wish, claimed.get(wish.hold().toString()))).toList();
    var sales = claims.sell(tx, requests, isAlone).iterator();
    var outcomes = new ArrayList<@Nullable StepOutcome>();
    for (var i = 0; i < wishes.size(); i++) {
      outcomes.add(
          isThere.get(i)
              ? sold(wishes.get(i).hold(), sales.next())
              : new Failed("not-held", "the claim is gone"));
    }
    return outcomes;
  }

  private Confirm request(Sold wish, HoldRecord row) {
    var pinned = new Intent.Pinned(row, row.expiresAt(), row.fence().epoch());
    return purchases.of(wish.run, wish.callId, wish.hold(), pinned);
  }

  private @Nullable StepOutcome sold(HoldId hold, @Nullable ClaimOutcome outcome) {
    return switch (outcome) {
      case null -> null;
      case ClaimOutcome.Done sale ->
          new Done(
              "sold at fence " + sale.hold().fence(),
              before -> before.claimed(null, before.replacement()),
              () -> second.tell(hold, sale));
      case ClaimOutcome.Refused(var word) when word.startsWith("ELAPSED") ->
          new Unknown("paid after the claim had run out", before -> before.claimed(null, null));
      case ClaimOutcome.Refused(var word) -> ClaimStep.refused(word.strip());
      case ClaimOutcome.NotNow(var why) -> new Unknown("the sale came to " + why);
    };
  }

  @Override
  public StepOutcome undo(Run run, String undoId) {
    return new Open(tx -> reverse(tx, run, Purchases.soldHold(run)));
  }

  private StepOutcome reverse(Transaction tx, Run run, HoldId hold) throws SQLException {
    var why = run.failure() == null ? "voided" : run.failure().why();
    var reversed = reversals.reverse(tx, hold, new Reason(run.id().toString(), why));
    if (reversed.isEmpty()) {
      return new Done("nothing was sold");
    }
    var items = reversed.get().items();
    return new Done(
        "taken back",
        before -> before,
        () -> rows.find(hold).ifPresent(record -> intents.reversed(hold.pool(), record, items)));
  }
}
