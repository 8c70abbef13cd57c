package io.holdfast.checkout.step;

import io.holdfast.checkout.saga.CheckoutRun;
import io.holdfast.checkout.saga.CheckoutRun.Part;
import io.holdfast.checkout.saga.CheckoutRun.StepState;
import io.holdfast.checkout.saga.Step;
import io.holdfast.checkout.saga.StepOutcome;
import io.holdfast.checkout.saga.StepOutcome.Done;
import io.holdfast.checkout.saga.StepOutcome.Failed;
import io.holdfast.checkout.saga.StepOutcome.InTransaction;
import io.holdfast.checkout.saga.StepOutcome.Pending;
import io.holdfast.checkout.saga.StepOutcome.Unknown;
import io.holdfast.checkout.step.PaymentCalls.Entry;
import io.holdfast.checkout.step.PaymentCalls.Kind;
import io.holdfast.commitment.claim.CheckoutSaleVerifier;
import io.holdfast.payment.PaymentOutcome;
import io.holdfast.pool.Price;
import io.holdfast.postgres.Transaction;
import jakarta.inject.Singleton;
import java.sql.SQLException;

/// Captures the authorised price. The undo refunds it, or the agreed part of it. Parts of it can be
/// refunded one after another, each under the id of its own row; the undo of the whole refunds what
/// is left then.
@Singleton
public final class CaptureStep implements Step {
  static final String NAME = "capture";

  private final PaymentCalls payments;
  private final CheckoutSaleVerifier verifier;

  CaptureStep(PaymentCalls payments, CheckoutSaleVerifier verifier) {
    this.payments = payments;
    this.verifier = verifier;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String reached() {
    return "CAPTURED";
  }

  @Override
  public boolean canBeUndoneInParts() {
    return true;
  }

  /// The sale is verified before its money is taken.
  @Override
  public StepOutcome act(CheckoutRun run, String callId) {
    if (!verifier.isWhole(run.soldHold())) {
      return new Failed("compensating", "the verification of the sale failed");
    }
    var outcome =
        payments.gateway(run).capture(PaymentCalls.call(run, callId, run.order().price()));
    return PaymentCalls.outcome(run, callId, Kind.CAPTURED, outcome);
  }

  @Override
  public StepOutcome undo(CheckoutRun run, String undoId) {
    return isUnknown(run) ? cancelOrRefund(run, undoId) : refund(run, undoId, part(run, undoId));
  }

  /// All that is left, unless the id is that of a part.
  private static Part part(CheckoutRun run, String undoId) {
    var left = run.unvoided().cents();
    var back = run.refundCents() == null ? left : run.refundCents();
    return run.steps().stream()
        .filter(step -> step.part() != null && step.undoId().equals(undoId))
        .findFirst()
        .map(StepState::part)
        .orElse(new Part(left, back));
  }

  /// A capture without an answer may still be on its way. A cancel prevents it, or is declined if
  /// the capture has happened.
  private StepOutcome cancelOrRefund(CheckoutRun run, String undoId) {
    var call = PaymentCalls.call(run, undoId + ":cancel", run.order().price());
    var outcome = payments.gateway(run).cancel(call);
    return outcome instanceof PaymentOutcome.Declined
        ? refund(run, undoId, part(run, undoId))
        : PaymentCalls.outcome(run, call.callId(), Kind.CANCELLED, outcome);
  }

  private StepOutcome refund(CheckoutRun run, String undoId, Part part) {
    var price = run.order().price();
    if (part.refundCents() == 0 && price.cents() > 0) {
      var kept = new Price(part.valueCents(), price.currency());
      return new InTransaction(tx -> keepAll(tx, run, undoId, kept));
    }
    var back = new Price(part.refundCents(), price.currency());
    return switch (payments.gateway(run).refund(PaymentCalls.call(run, undoId, back))) {
      case PaymentOutcome.Done(var reference, var moved) ->
          new InTransaction(tx -> refunded(tx, run, undoId, reference, moved, part.valueCents()));
      case PaymentOutcome.Declined(var why) -> new Failed("refund-declined", why);
      case PaymentOutcome.Pending(var why) -> new Pending(why);
      case PaymentOutcome.Unknown(var why) -> new Unknown(why);
    };
  }

  private static StepOutcome keepAll(Transaction tx, CheckoutRun run, String undoId, Price kept)
      throws SQLException {
    PaymentCalls.record(tx, new Entry(run, undoId, Kind.KEPT, kept, "agreed"));
    return new Done("nothing is refunded, as agreed");
  }

  /// A refund shows that a capture without an answer has happened. If nothing was refunded and
  /// nothing could be cancelled either, an amount is still authorised.
  private static StepOutcome refunded(
      Transaction tx,
      CheckoutRun run,
      String undoId,
      String reference,
      Price moved,
      long valueCents)
      throws SQLException {
    if (moved.cents() == 0 && run.order().price().cents() > 0) {
      return isUnknown(run)
          ? new Failed("not-cancelled", "nothing was captured, and nothing was cancelled")
          : new Done("nothing was captured");
    }
    var price = run.order().price();
    PaymentCalls.record(
        tx,
        new Entry(run, of(run).callId(), Kind.CAPTURED, price, reference),
        new Entry(run, undoId, Kind.REFUNDED, moved, reference));
    var left = valueCents - moved.cents();
    if (left > 0) {
      var kept = new Price(left, price.currency());
      PaymentCalls.record(tx, new Entry(run, undoId, Kind.KEPT, kept, reference));
    }
    return new Done("refunded: " + moved);
  }

  private static boolean isUnknown(CheckoutRun run) {
    return of(run).state() == StepState.State.UNKNOWN;
  }

  /// Its state in that run.
  static StepState of(CheckoutRun run) {
    return run.steps().stream().filter(step -> step.name().equals(NAME)).findFirst().orElseThrow();
  }
}
