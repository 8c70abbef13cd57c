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
import io.holdfast.commitment.ConfirmRequest;
import io.holdfast.commitment.PinResult;
import io.holdfast.commitment.claim.CheckoutClaims;
import io.holdfast.commitment.claim.ClaimOutcome;
import io.holdfast.commitment.claim.SaleReversals;
import io.holdfast.commitment.claim.SaleReversals.Reason;
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

/// Sells the claimed items at the fence of the claim. If the payment came after the end of the
/// claim, it sells a new hold of the same items, if they are still free.
@Singleton
public final class CommitStep implements Step {
  public static final String NAME = "commit";

  private final CheckoutClaims claims;
  private final SaleReversals reversals;
  private final LatePaymentRehold rehold;
  private final CheckoutHoldClient holds;
  private final HoldRows rows;
  private final BatchWork<ClaimedSale> sellBatch = this::sell;

  CommitStep(
      CheckoutClaims claims,
      SaleReversals reversals,
      LatePaymentRehold rehold,
      CheckoutHoldClient holds,
      HoldRows rows) {
    this.claims = claims;
    this.reversals = reversals;
    this.rehold = rehold;
    this.holds = holds;
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
        ? rehold.sell(run, callId)
        : new InTransaction(new Batchable<>(sellBatch, new ClaimedSale(run, callId)));
  }

  private record ClaimedSale(CheckoutRun run, String callId) {
    HoldId hold() {
      return run.hold();
    }
  }

  private List<@Nullable StepOutcome> sell(Transaction tx, List<ClaimedSale> batch, boolean isAlone)
      throws SQLException {
    var claimed = claims.claimed(tx, batch.stream().map(ClaimedSale::hold).toList());
    var requests =
        batch.stream()
            .filter(sale -> claimed.containsKey(sale.hold().toString()))
            .map(sale -> request(sale, claimed.get(sale.hold().toString())))
            .toList();
    var sold = claims.sell(tx, requests, isAlone).iterator();
    var outcomes = new ArrayList<@Nullable StepOutcome>();
    for (var sale : batch) {
      outcomes.add(
          claimed.containsKey(sale.hold().toString())
              ? sold(sale.hold(), sold.next())
              : new Failed("not-held", "the claim is gone"));
    }
    return outcomes;
  }

  private ConfirmRequest request(ClaimedSale sale, HoldRecord row) {
    var pool = holds.pool(sale.run.id().pool()).orElseThrow();
    var pinned = new PinResult.Pinned(row, row.expiresAt(), row.fence().epoch());
    return ClaimStep.confirmRequest(pool, sale.run, sale.callId, sale.hold(), pinned);
  }

  private @Nullable StepOutcome sold(HoldId hold, @Nullable ClaimOutcome outcome) {
    return switch (outcome) {
      case null -> null;
      case ClaimOutcome.Done sale ->
          new Done(
              "sold at fence " + sale.hold().fence(),
              before -> before.claimed(null, before.replacement()),
              () -> holds.sold(hold.pool(), sale.hold(), sale.items(), sale.outboxId()));
      case ClaimOutcome.Refused(var refusal) when refusal == StoredOutcome.Reason.ELAPSED ->
          new Unknown("paid after the end of the claim", before -> before.claimed(null, null));
      case ClaimOutcome.Refused(var refusal) -> ClaimStep.refused(refusal);
      case ClaimOutcome.OtherPrice(var cents) -> ClaimStep.otherPrice(cents);
      case ClaimOutcome.NotNow(var why) -> new Unknown("the sale ended with " + why);
    };
  }

  @Override
  public StepOutcome undo(CheckoutRun run, String undoId) {
    return new InTransaction(tx -> reverse(tx, run, run.soldHold()));
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
        () -> rows.find(hold).ifPresent(record -> holds.reversed(hold.pool(), record, items)));
  }
}
