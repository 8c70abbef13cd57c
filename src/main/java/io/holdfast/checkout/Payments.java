package io.holdfast.checkout;

import io.holdfast.checkout.PaymentEntries.Entry;
import io.holdfast.checkout.StepOutcome.Crew;
import io.holdfast.checkout.StepOutcome.Done;
import io.holdfast.checkout.StepOutcome.Failed;
import io.holdfast.checkout.StepOutcome.Open;
import io.holdfast.checkout.StepOutcome.Pending;
import io.holdfast.checkout.StepOutcome.Shared;
import io.holdfast.checkout.StepOutcome.Unknown;
import io.holdfast.payment.Gateways;
import io.holdfast.payment.PaymentCall;
import io.holdfast.payment.PaymentGateway;
import io.holdfast.payment.PaymentOutcome;
import io.holdfast.pool.Price;
import jakarta.inject.Singleton;
import org.jspecify.annotations.Nullable;

/// What the steps that move money have in common.
@Singleton
final class Payments {
  private static final Crew<Entry> ENTER =
      (tx, entries, _) -> {
        PaymentEntries.add(tx, entries);
        return entries.stream().<@Nullable StepOutcome>map(e -> new Done(e.reference())).toList();
      };

  private final Gateways gateways;

  Payments(Gateways gateways) {
    this.gateways = gateways;
  }

  PaymentGateway gateway(Run run) {
    var provider = run.order().provider();
    return gateways
        .find(provider)
        .orElseThrow(() -> new IllegalStateException("no gateway is configured for " + provider));
  }

  /// One payment for each checkout, whoever calls and however often.
  static PaymentCall call(Run run, String callId, Price amount) {
    return new PaymentCall(callId, run.id().toString(), run.order().method(), amount);
  }

  /// What the provider says becomes a record in the transaction that stores the step.
  static StepOutcome stored(
      Run run, String callId, PaymentEntries.Kind kind, PaymentOutcome outcome) {
    return switch (outcome) {
      case PaymentOutcome.Done(var reference, var moved) ->
          new Open(new Shared<>(ENTER, new Entry(run, callId, kind, moved, reference)));
      case PaymentOutcome.Declined(var why) -> new Failed("payment-declined", why);
      case PaymentOutcome.Pending(var why) -> new Pending(why);
      case PaymentOutcome.Unknown(var why) -> new Unknown(why);
    };
  }
}
