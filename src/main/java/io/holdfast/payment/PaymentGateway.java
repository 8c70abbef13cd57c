package io.holdfast.payment;

/// The outside that moves money. Every call carries an id of ours; called again with the same id it
/// has no second effect and gives the same answer. No call throws for what the outside does.
public interface PaymentGateway {

  /// The word in `payment.provider`.
  String provider();

  /// A method that it does not know is refused before anything happens.
  boolean accepts(String method);

  PaymentOutcome authorise(PaymentCall call);

  /// Of what was authorised.
  PaymentOutcome capture(PaymentCall call);

  /// Voids an authorisation. Done too if nothing was ever authorised, and from then on it shuts a
  /// late authorisation or capture of that payment out. What was captured has to be refunded first.
  PaymentOutcome cancel(PaymentCall call);

  /// The amount may be less than what was captured. Done with nothing moved if nothing was
  /// captured.
  PaymentOutcome refund(PaymentCall call);
}
