package io.holdfast.payment;

import io.holdfast.pool.Price;

/// The outcome of a call to a payment provider. Only `Done` and `Declined` are final.
public sealed interface PaymentOutcome {

  /// @param reference of the provider
  /// @param moved the amount that was authorised, captured or refunded, or released by a cancel
  record Done(String reference, Price moved) implements PaymentOutcome {}

  /// A definite refusal; nothing moved.
  record Declined(String why) implements PaymentOutcome {}

  /// The answer will arrive as a notice; `PaymentNotices` has it then.
  record Pending(String why) implements PaymentOutcome {}

  /// It may have happened. A second call with the same id finds out.
  record Unknown(String why) implements PaymentOutcome {}
}
