package io.holdfast.checkout.step;

import io.holdfast.checkout.saga.CheckoutRun;
import io.holdfast.checkout.saga.StepOutcome;
import io.holdfast.checkout.saga.StepOutcome.Done;
import io.holdfast.checkout.saga.StepOutcome.Failed;
import io.holdfast.checkout.saga.StepOutcome.InTransaction;
import io.holdfast.checkout.saga.StepOutcome.Unknown;
import io.holdfast.commitment.CheckoutClaims;
import io.holdfast.commitment.ClaimOutcome;
import io.holdfast.commitment.PinResult;
import io.holdfast.confirm.CheckoutHoldClient;
import io.holdfast.confirm.CheckoutHoldClient.Placing;
import io.holdfast.journal.store.HoldRows;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.HoldRecord;
import io.holdfast.postgres.Transaction;
import io.holdfast.postgres.Transactions;
import jakarta.inject.Singleton;
import java.sql.SQLException;

/// For payment that came too late: the old hold ends as it must, and the same requester gets a new
/// hold of the same items, unless somebody else was faster.
@Singleton
final class LatePaymentRehold {
  private final Transactions transactions;
  private final CheckoutClaims claims;
  private final CheckoutHoldClient intents;
  private final RunConfirmRequests purchases;
  private final HoldRows rows;

  LatePaymentRehold(
      Transactions transactions,
      CheckoutClaims claims,
      CheckoutHoldClient intents,
      RunConfirmRequests purchases,
      HoldRows rows) {
    this.transactions = transactions;
    this.claims = claims;
    this.intents = intents;
    this.purchases = purchases;
    this.rows = rows;
  }

  StepOutcome sell(CheckoutRun run, String callId) {
    giveUp(RunConfirmRequests.hold(run));
    var old = rows.find(RunConfirmRequests.hold(run));
    if (old.isEmpty()) {
      return new Failed("not-known", "there is no record of the hold");
    }
    return switch (intents.place(purchases.pool(run), callId + ":again", old.get())) {
      case Placing.Placed(var placed) -> pin(run, callId, placed);
      case Placing.Refused(var why) ->
          new Failed("resource-unavailable", "paid too late, and the items are gone: " + why);
      case Placing.NotNow(var why) -> new Unknown(why);
    };
  }

  void tell(HoldId hold, ClaimOutcome.Done sale) {
    intents.sold(hold.pool(), sale.hold(), sale.items(), sale.outboxId());
  }

  /// The claim ends, and with it what kept the old hold from ending.
  private void giveUp(HoldId hold) {
    var given =
        transactions.write(
            connection -> {
              var tx = new Transaction(connection);
              var claimed = claims.claimed(tx, hold);
              return claimed.map(record -> claims.giveBack(tx, hold.pool(), record));
            });
    if (given.isPresent() && given.get() instanceof ClaimOutcome.Done(var pinned, var items, _)) {
      intents.givenBack(hold.pool(), pinned, items, pinned.pinNo() + 1);
    }
  }

  private StepOutcome pin(CheckoutRun run, String callId, HoldRecord placed) {
    var hold = placed.id(run.id().pool());
    var order = run.order();
    var intent = intents.pin(purchases.pool(run), order.caller(), callId, hold, order.requester());
    return switch (intent) {
      case PinResult.Pinned pinned ->
          new InTransaction(tx -> claimAndSell(tx, run, callId, pinned));
      case PinResult.Refused(var why) -> ClaimStep.refused(why);
      case PinResult.Absent() -> new Unknown("the new hold is not in Redis");
      case PinResult.Away(var why) -> new Unknown(why);
    };
  }

  /// Both or neither: nobody gives back a claim of the new hold, which the run knows of only once
  /// it is sold.
  private StepOutcome claimAndSell(
      Transaction tx, CheckoutRun run, String callId, PinResult.Pinned pinned) throws SQLException {
    var unclaimed = tx.connection().setSavepoint();
    var hold = pinned.hold().id(run.id().pool());
    var confirm = purchases.of(run, callId, hold, pinned);
    var claim = claims.claim(tx, confirm, intents.claimableUntil(pinned.hold()));
    var outcome = claim instanceof ClaimOutcome.Done ? claims.sell(tx, confirm) : claim;
    if (!(outcome instanceof ClaimOutcome.Done)) {
      tx.connection().rollback(unclaimed);
    }
    return switch (outcome) {
      case ClaimOutcome.Done sale ->
          new Done(
              "paid after the hold had run out; sold at fence "
                  + sale.hold().fence()
                  + " by "
                  + hold,
              before -> before.claimed(null, hold.toString()),
              () -> tell(hold, sale));
      case ClaimOutcome.Refused(var refusal) -> ClaimStep.refused(refusal);
      case ClaimOutcome.NotNow(var why) -> new Unknown("the sale came to " + why);
    };
  }
}
