package io.holdfast.checkout.step;

import io.holdfast.checkout.saga.CheckoutRun;
import io.holdfast.checkout.saga.StepOutcome;
import io.holdfast.checkout.saga.StepOutcome.Done;
import io.holdfast.checkout.saga.StepOutcome.Failed;
import io.holdfast.checkout.saga.StepOutcome.InTransaction;
import io.holdfast.checkout.saga.StepOutcome.Unknown;
import io.holdfast.commitment.PinResult;
import io.holdfast.commitment.claim.CheckoutClaims;
import io.holdfast.commitment.claim.ClaimOutcome;
import io.holdfast.confirm.CheckoutHoldClient;
import io.holdfast.confirm.CheckoutHoldClient.Placing;
import io.holdfast.journal.store.HoldRows;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.Pool;
import io.holdfast.postgres.Transaction;
import io.holdfast.postgres.Transactions;
import jakarta.inject.Singleton;
import java.sql.SQLException;
import java.util.Optional;

/// Handles a payment that came after the end of the claim: the old hold ends, and the same
/// requester gets a new hold of the same items, if they are still free at the same price.
@Singleton
final class LatePaymentRehold {
  private final Transactions transactions;
  private final ClaimStep claimStep;
  private final CheckoutClaims claims;
  private final CheckoutHoldClient holds;
  private final HoldRows rows;

  LatePaymentRehold(
      Transactions transactions,
      ClaimStep claimStep,
      CheckoutClaims claims,
      CheckoutHoldClient holds,
      HoldRows rows) {
    this.transactions = transactions;
    this.claimStep = claimStep;
    this.claims = claims;
    this.holds = holds;
    this.rows = rows;
  }

  StepOutcome sell(CheckoutRun run, String callId) {
    giveBack(run.hold());
    var old = rows.find(run.hold());
    if (old.isEmpty()) {
      return new Failed("not-known", "there is no record of the hold");
    }
    return switch (holds.place(pool(run), callId + ":again", old.get())) {
      case Placing.Placed(var placed) -> pin(run, callId, placed);
      case Placing.Refused(var why) ->
          new Failed("resource-unavailable", "paid too late, and the items are gone: " + why);
      case Placing.NotNow(var why) -> new Unknown(why);
    };
  }

  /// Ends the claim, so that the old hold can end. This transaction does not check the lease of the
  /// run, so it leaves a claim alone that is still in time: it belongs to another checkout.
  private void giveBack(HoldId hold) {
    var given =
        transactions.write(
            connection -> {
              var tx = new Transaction(connection);
              var claimed =
                  claims.isOver(tx, hold) ? claims.claimed(tx, hold) : Optional.<HoldRecord>empty();
              return claimed.map(record -> claims.giveBack(tx, hold.pool(), record));
            });
    if (given.isPresent() && given.get() instanceof ClaimOutcome.Done(var pinned, var items, _)) {
      holds.givenBack(hold.pool(), pinned, items, pinned.pinNo() + 1);
    }
  }

  private Pool pool(CheckoutRun run) {
    return holds.pool(run.id().pool()).orElseThrow();
  }

  private StepOutcome pin(CheckoutRun run, String callId, HoldRecord placed) {
    var hold = placed.id(run.id().pool());
    var order = run.order();
    var pin = holds.pin(pool(run), order.caller(), callId, hold, order.requester());
    return switch (pin) {
      case PinResult.Pinned pinned ->
          new InTransaction(tx -> claimAndSell(tx, run, callId, pinned));
      case PinResult.Refused(var why) -> ClaimStep.refused(why);
      case PinResult.Absent() -> new Unknown("the new hold is not in Redis");
      case PinResult.Away(var why) -> new Unknown(why);
    };
  }

  /// Both or neither: the run knows the new hold only after the sale, so that nothing would give
  /// back a claim of it.
  private StepOutcome claimAndSell(
      Transaction tx, CheckoutRun run, String callId, PinResult.Pinned pinned) throws SQLException {
    var unclaimed = tx.connection().setSavepoint();
    var hold = pinned.hold().id(run.id().pool());
    var claim = claimStep.claim(pool(run), run, callId, hold, pinned);
    var claimed = claims.claim(tx, claim);
    var outcome = claimed instanceof ClaimOutcome.Done ? claims.sell(tx, claim.request()) : claimed;
    if (!(outcome instanceof ClaimOutcome.Done)) {
      tx.connection().rollback(unclaimed);
    }
    return switch (outcome) {
      case ClaimOutcome.Done sale ->
          new Done(
              "paid after the end of the hold; sold at fence "
                  + sale.hold().fence()
                  + " by "
                  + hold,
              before -> before.claimed(null, hold.toString()),
              () -> holds.sold(hold.pool(), sale.hold(), sale.items(), sale.outboxId()));
      case ClaimOutcome.Refused(var refusal) -> ClaimStep.refused(refusal);
      case ClaimOutcome.OtherPrice(var cents) -> ClaimStep.otherPrice(cents);
      case ClaimOutcome.NotNow(var why) -> new Unknown("the sale ended with " + why);
    };
  }
}
