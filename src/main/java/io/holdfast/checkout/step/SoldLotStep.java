package io.holdfast.checkout.step;

import io.holdfast.checkout.saga.CheckoutRun;
import io.holdfast.checkout.saga.Step;
import io.holdfast.checkout.saga.StepOutcome;
import io.holdfast.checkout.saga.StepOutcome.Done;
import io.holdfast.checkout.saga.StepOutcome.Failed;
import io.holdfast.checkout.saga.StepOutcome.InTransaction;
import io.holdfast.commitment.auction.AuctionTable;
import jakarta.inject.Singleton;

/// Takes the place of claim and commit in the checkout of a bid that has won: the close of the
/// auction has sold the lot to it. If the payment fails, the sale stays, unpaid, and the winner may
/// pay by another checkout.
@Singleton
public final class SoldLotStep implements Step {
  public static final String NAME = "claim";

  /// The payment of a bid that has won an auction.
  public static final String SAGA = "auction";

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String reached() {
    return "CLAIMED";
  }

  @Override
  public StepOutcome act(CheckoutRun run, String callId) {
    return new InTransaction(
        tx ->
            AuctionTable.lockSale(tx.connection(), run.hold())
                ? new Done("sold by the auction at fence " + run.hold().fence())
                : new Failed("not-held", "the sale of the auction was voided"));
  }

  @Override
  public StepOutcome undo(CheckoutRun run, String undoId) {
    return new Done("the sale of the auction stays");
  }
}
