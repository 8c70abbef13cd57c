package io.holdfast.payment;

import io.holdfast.pool.Price;
import java.util.regex.Pattern;

/// One call to a payment provider.
///
/// @param callId our id of this step, sent as Idempotency-Key
/// @param paymentId one per checkout; names the payment at the provider, so that it can be
///   cancelled without an answer
public record PaymentCall(String callId, String paymentId, String method, Price amount) {
  private static final Pattern ID = Pattern.compile("[!-~]{1,128}");

  public PaymentCall {
    if (!ID.matcher(callId).matches() || !ID.matcher(paymentId).matches()) {
      throw new IllegalArgumentException(
          "an id of a payment has 1 to 128 visible ASCII characters, since it travels in a header");
    }
  }
}
