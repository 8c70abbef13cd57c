package io.holdfast.checkout.step;

import io.holdfast.checkout.saga.CheckoutRun;
import io.holdfast.checkout.saga.Step;
import io.holdfast.checkout.saga.StepOutcome;
import io.holdfast.checkout.saga.StepOutcome.BatchWork;
import io.holdfast.checkout.saga.StepOutcome.Batchable;
import io.holdfast.checkout.saga.StepOutcome.Done;
import io.holdfast.checkout.saga.StepOutcome.Failed;
import io.holdfast.checkout.saga.StepOutcome.InTransaction;
import io.holdfast.checkout.saga.StepOutcome.Unknown;
import io.holdfast.commitment.CheckoutClaims;
import io.holdfast.commitment.ClaimOutcome;
import io.holdfast.commitment.ConfirmRequest;
import io.holdfast.commitment.PinResult;
import io.holdfast.commitment.SaleReversals;
import io.holdfast.commitment.SaleReversals.Reason;
import io.holdfast.confirm.CheckoutHoldClient;
import io.holdfast.journal.store.HoldRows;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.StoredOutcome;
import io.holdfast.postgres.Transaction;
import jakarta.inject.Singleton;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Sells what was claimed, at the fence it was claimed at. Payment that came after the claim had
/// run out buys a new hold of the same items, if they are still free.
@Singleton
public final class CommitStep implements Step {
  public static final String NAME = "commit";

  private final CheckoutClaims claims;
  private final SaleReversals reversals;
  private final RunConfirmRequests purchases;
  private final LatePaymentRehold second;
  private final CheckoutHoldClient intents;
  private final HoldRows rows;
  private final BatchWork<Sold> crew = this::sell;

  CommitStep(
      CheckoutClaims claims,
      SaleReversals reversals,
      RunConfirmRequests purchases,
      LatePaymentRehold second,
      CheckoutHoldClient intents,
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
  public StepOutcome act(CheckoutRun run, String callId) {
    return run.claimUntil() == null
        ? second.sell(run, callId)
        : new InTransaction(new Batchable<>(crew, new Sold(run, callId)));
  }

  /// What a run has claimed, to be sold by this call.
  private record Sold(CheckoutRun run, String callId) {
    HoldId hold() {
      return RunConfirmRequests.hold(run);
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

  private ConfirmRequest request(Sold wish, HoldRecord row) {
    var pinned = new PinResult.Pinned(row, row.expiresAt(), row.fence().epoch());
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
      case ClaimOutcome.Refused(var refusal) when refusal == StoredOutcome.Reason.ELAPSED ->
          new Unknown("paid after the claim had run out", before -> before.claimed(null, null));
      case ClaimOutcome.Refused(var refusal) -> ClaimStep.refused(refusal);
      case ClaimOutcome.NotNow(var why) -> new Unknown("the sale came to " + why);
    };
  }

  @Override
  public StepOutcome undo(CheckoutRun run, String undoId) {
    return new InTransaction(tx -> reverse(tx, run, RunConfirmRequests.soldHold(run)));
  }

  private StepOutcome reverse(Transaction tx, CheckoutRun run, HoldId hold) throws SQLException {
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
