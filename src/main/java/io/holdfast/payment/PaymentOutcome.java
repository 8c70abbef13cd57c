package io.holdfast.payment;

import io.holdfast.pool.Price;

/// What asking the outside can come to. Only `Done` and `Declined` are ends.
public sealed interface PaymentOutcome {

  /// @param reference the provider's own name for what it did
  /// @param moved what was authorised, captured, given back, or by a cancel set free
  record Done(String reference, Price moved) implements PaymentOutcome {}

  /// A definite no, nothing moved.
  record Declined(String why) implements PaymentOutcome {}

  /// The answer will come as a notice; `PaymentNotices` has it then.
  record Pending(String why) implements PaymentOutcome {}

  /// It may have happened; the same call id again tells.
  record Unknown(String why) implements PaymentOutcome {}
}
