package io.holdfast.checkout.step;

import io.holdfast.checkout.saga.CheckoutRun;
import io.holdfast.checkout.saga.Step;
import io.holdfast.checkout.saga.StepOutcome;
import io.holdfast.checkout.saga.StepOutcome.Done;
import io.holdfast.checkout.saga.StepOutcome.Failed;
import io.holdfast.checkout.saga.StepOutcome.InTransaction;
import io.holdfast.checkout.saga.StepOutcome.Pending;
import io.holdfast.checkout.saga.StepOutcome.Unknown;
import io.holdfast.checkout.saga.StepState;
import io.holdfast.checkout.step.PaymentEntries.Entry;
import io.holdfast.checkout.step.PaymentEntries.Kind;
import io.holdfast.commitment.CheckoutSaleVerifier;
import io.holdfast.payment.PaymentOutcome;
import io.holdfast.pool.Price;
import io.holdfast.postgres.Transaction;
import jakarta.inject.Singleton;
import java.sql.SQLException;

/// Takes the money that was set aside; undone, it goes back, all of it or what was agreed.
@Singleton
public final class CaptureStep implements Step {
  static final String NAME = "capture";

  private final PaymentCalls payments;
  private final CheckoutSaleVerifier looks;

  CaptureStep(PaymentCalls payments, CheckoutSaleVerifier looks) {
    this.payments = payments;
    this.looks = looks;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String reached() {
    return "CAPTURED";
  }

  /// Nobody pays for a sale that is not whole.
  @Override
  public StepOutcome act(CheckoutRun run, String callId) {
    if (!looks.isWhole(RunConfirmRequests.soldHold(run))) {
      return new Failed("compensating", "the sale was not found whole at the second look");
    }
    var outcome =
        payments.gateway(run).capture(PaymentCalls.call(run, callId, run.order().price()));
    return PaymentCalls.stored(run, callId, Kind.CAPTURED, outcome);
  }

  @Override
  public StepOutcome undo(CheckoutRun run, String undoId) {
    return isUnheard(run) ? shutOut(run, undoId) : giveBack(run, undoId);
  }

  /// A capture without an answer may still be on its way. Cancelling shuts it out, or tells that it
  /// is too late for that.
  private StepOutcome shutOut(CheckoutRun run, String undoId) {
    var call = PaymentCalls.call(run, undoId + ":cancel", run.order().price());
    var outcome = payments.gateway(run).cancel(call);
    return outcome instanceof PaymentOutcome.Declined
        ? giveBack(run, undoId)
        : PaymentCalls.stored(run, call.callId(), Kind.CANCELLED, outcome);
  }

  private StepOutcome giveBack(CheckoutRun run, String undoId) {
    var price = run.order().price();
    var back = run.refundCents() == null ? price : new Price(run.refundCents(), price.currency());
    if (back.cents() == 0 && price.cents() > 0) {
      return new InTransaction(tx -> kept(tx, run, undoId, price));
    }
    return switch (payments.gateway(run).refund(PaymentCalls.call(run, undoId, back))) {
      case PaymentOutcome.Done(var reference, var moved) ->
          new InTransaction(tx -> refunded(tx, run, undoId, reference, moved));
      case PaymentOutcome.Declined(var why) -> new Failed("refund-declined", why);
      case PaymentOutcome.Pending(var why) -> new Pending(why);
      case PaymentOutcome.Unknown(var why) -> new Unknown(why);
    };
  }

  private static StepOutcome kept(Transaction tx, CheckoutRun run, String undoId, Price price)
      throws SQLException {
    PaymentEntries.add(tx, new Entry(run, undoId, Kind.KEPT, price, "agreed"));
    return new Done("nothing is given back, as agreed");
  }

  /// If the capture's own answer never came, its refund tells that it happened. If it tells that
  /// nothing did, though nothing could be cancelled either, something is still set aside.
  private static StepOutcome refunded(
      Transaction tx, CheckoutRun run, String undoId, String reference, Price moved)
      throws SQLException {
    if (moved.cents() == 0 && run.order().price().cents() > 0) {
      return isUnheard(run)
          ? new Failed("not-cancelled", "nothing had been captured, and nothing was cancelled")
          : new Done("nothing had been captured");
    }
    var price = run.order().price();
    PaymentEntries.add(
        tx,
        new Entry(run, of(run).callId(), Kind.CAPTURED, price, reference),
        new Entry(run, undoId, Kind.REFUNDED, moved, reference));
    var left = price.cents() - moved.cents();
    if (left > 0) {
      var kept = new Price(left, price.currency());
      PaymentEntries.add(tx, new Entry(run, undoId, Kind.KEPT, kept, reference));
    }
    return new Done("given back: " + moved);
  }

  private static boolean isUnheard(CheckoutRun run) {
    return of(run).state() == StepState.State.UNKNOWN;
  }

  /// How it stands in that run.
  static StepState of(CheckoutRun run) {
    return run.steps().stream().filter(step -> step.name().equals(NAME)).findFirst().orElseThrow();
  }
}
