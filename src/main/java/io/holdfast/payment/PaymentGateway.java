package io.holdfast.payment;

/// A payment provider. Every call carries an id of ours; a second call with the same id has no
/// second effect and gets the same answer. No call throws for what the provider does.
public interface PaymentGateway {

  /// The word in `payment.provider`.
  String provider();

  /// A checkout with a method that the provider does not know is refused before it starts.
  boolean accepts(String method);

  PaymentOutcome call(PaymentStep step, PaymentCall call);

  /// Whether orders that are paid by this method fail at their fulfilment. The simulator has such a
  /// method, to try compensation out.
  default boolean failsFulfilment(String method) {
    return false;
  }

  default PaymentOutcome authorise(PaymentCall call) {
    return call(PaymentStep.AUTHORISE, call);
  }

  /// Captures an authorised amount.
  default PaymentOutcome capture(PaymentCall call) {
    return call(PaymentStep.CAPTURE, call);
  }

  /// Voids an authorisation. It is also `Done` if nothing was authorised, and then prevents a late
  /// authorisation or capture of that payment. A captured amount must be refunded first.
  default PaymentOutcome cancel(PaymentCall call) {
    return call(PaymentStep.CANCEL, call);
  }

  /// The amount may be less than was captured. `Done` with nothing moved if nothing was captured.
  default PaymentOutcome refund(PaymentCall call) {
    return call(PaymentStep.REFUND, call);
  }
}
