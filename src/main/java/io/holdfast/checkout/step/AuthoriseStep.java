package io.holdfast.checkout.step;

import io.holdfast.checkout.saga.CheckoutRun;
import io.holdfast.checkout.saga.Step;
import io.holdfast.checkout.saga.StepOutcome;
import io.holdfast.checkout.saga.StepOutcome.Done;
import io.holdfast.checkout.saga.StepOutcome.InTransaction;
import io.holdfast.checkout.step.PaymentEntries.Kind;
import io.holdfast.payment.PaymentOutcome;
import jakarta.inject.Singleton;

/// Asks the provider to set the price aside.
@Singleton
public final class AuthoriseStep implements Step {
  static final String NAME = "authorise";

  private final PaymentCalls payments;
  private final ClaimStep claims;

  AuthoriseStep(PaymentCalls payments, ClaimStep claims) {
    this.payments = payments;
    this.claims = claims;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String reached() {
    return "AUTHORISED";
  }

  @Override
  public StepOutcome act(CheckoutRun run, String callId) {
    var outcome =
        payments.gateway(run).authorise(PaymentCalls.call(run, callId, run.order().price()));
    return outcome instanceof PaymentOutcome.Pending(var why)
        ? new InTransaction(tx -> claims.awaited(tx, run, why), false)
        : PaymentCalls.stored(run, callId, Kind.AUTHORISED, outcome);
  }

  /// What was captured is given back as a refund, so nothing is left to cancel then. What may have
  /// been is cancelled by what undoes the capture, or else refunded; a cancel of our own would be
  /// declined for ever if it came between the two.
  @Override
  public StepOutcome undo(CheckoutRun run, String undoId) {
    return switch (CaptureStep.of(run).state()) {
      case DONE -> new Done("it was captured, and is given back as that");
      case UNKNOWN -> new Done("it may have been captured, and is cancelled or given back as that");
      case PLANNED, FAILED -> cancel(run, undoId);
    };
  }

  private StepOutcome cancel(CheckoutRun run, String undoId) {
    PaymentOutcome outcome =
        payments.gateway(run).cancel(PaymentCalls.call(run, undoId, run.order().price()));
    return PaymentCalls.stored(run, undoId, Kind.CANCELLED, outcome);
  }
}
