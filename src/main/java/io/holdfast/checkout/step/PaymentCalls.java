package io.holdfast.checkout.step;

import io.holdfast.checkout.saga.CheckoutRun;
import io.holdfast.checkout.saga.StepOutcome;
import io.holdfast.checkout.saga.StepOutcome.BatchWork;
import io.holdfast.checkout.saga.StepOutcome.Batchable;
import io.holdfast.checkout.saga.StepOutcome.Done;
import io.holdfast.checkout.saga.StepOutcome.Failed;
import io.holdfast.checkout.saga.StepOutcome.InTransaction;
import io.holdfast.checkout.saga.StepOutcome.Pending;
import io.holdfast.checkout.saga.StepOutcome.Unknown;
import io.holdfast.checkout.step.PaymentEntries.Entry;
import io.holdfast.payment.GatewayRegistry;
import io.holdfast.payment.PaymentCall;
import io.holdfast.payment.PaymentGateway;
import io.holdfast.payment.PaymentOutcome;
import io.holdfast.pool.Price;
import jakarta.inject.Singleton;
import org.jspecify.annotations.Nullable;

/// What the steps that move money have in common.
@Singleton
final class PaymentCalls {
  private static final BatchWork<Entry> ENTER =
      (tx, entries, _) -> {
        PaymentEntries.add(tx, entries);
        return entries.stream().<@Nullable StepOutcome>map(e -> new Done(e.reference())).toList();
      };

  private final GatewayRegistry gateways;

  PaymentCalls(GatewayRegistry gateways) {
    this.gateways = gateways;
  }

  PaymentGateway gateway(CheckoutRun run) {
    var provider = run.order().provider();
    return gateways
        .find(provider)
        .orElseThrow(() -> new IllegalStateException("no gateway is configured for " + provider));
  }

  /// One payment for each checkout, whoever calls and however often.
  static PaymentCall call(CheckoutRun run, String callId, Price amount) {
    return new PaymentCall(callId, run.id().toString(), run.order().method(), amount);
  }

  /// What the provider says becomes a record in the transaction that stores the step.
  static StepOutcome stored(
      CheckoutRun run, String callId, PaymentEntries.Kind kind, PaymentOutcome outcome) {
    return switch (outcome) {
      case PaymentOutcome.Done(var reference, var moved) ->
          new InTransaction(new Batchable<>(ENTER, new Entry(run, callId, kind, moved, reference)));
      case PaymentOutcome.Declined(var why) -> new Failed("payment-declined", why);
      case PaymentOutcome.Pending(var why) -> new Pending(why);
      case PaymentOutcome.Unknown(var why) -> new Unknown(why);
    };
  }
}
