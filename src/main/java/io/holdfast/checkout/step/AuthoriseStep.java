package io.holdfast.checkout.step;

import io.holdfast.checkout.saga.CheckoutRun;
import io.holdfast.checkout.saga.Step;
import io.holdfast.checkout.saga.StepOutcome;
import io.holdfast.checkout.saga.StepOutcome.Done;
import io.holdfast.checkout.saga.StepOutcome.InTransaction;
import io.holdfast.checkout.step.PaymentCalls.Kind;
import io.holdfast.payment.PaymentOutcome;
import jakarta.inject.Singleton;

/// Has the provider authorise the price.
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
        ? new InTransaction(tx -> claims.awaitPayment(tx, run, why), false)
        : PaymentCalls.outcome(run, callId, Kind.AUTHORISED, outcome);
  }

  /// A captured amount is refunded by the undo of the capture, so nothing is left to cancel. If it
  /// may have been captured, that undo cancels or refunds it. A cancel here could come between the
  /// two and would be declined for ever.
  @Override
  public StepOutcome undo(CheckoutRun run, String undoId) {
    return switch (CaptureStep.of(run).state()) {
      case DONE -> new Done("it was captured, and is refunded by the undo of the capture");
      case UNKNOWN ->
          new Done("it may have been captured; the undo of the capture cancels or refunds it");
      case PLANNED, FAILED -> cancel(run, undoId);
    };
  }

  private StepOutcome cancel(CheckoutRun run, String undoId) {
    PaymentOutcome outcome =
        payments.gateway(run).cancel(PaymentCalls.call(run, undoId, run.order().price()));
    return PaymentCalls.outcome(run, undoId, Kind.CANCELLED, outcome);
  }
}
