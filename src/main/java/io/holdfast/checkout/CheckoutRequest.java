package io.holdfast.checkout;

import io.holdfast.pool.Fence;
import io.holdfast.pool.Price;
import io.holdfast.web.JsonFields;

/// What somebody says who wants to pay for what a hold holds.
///
/// @param fence as the holder knows it
record CheckoutRequest(
    String holdId, String requester, long fence, String provider, String method, Price price) {
  private static final long CENTS_MOST = 1_000_000_000_000L;

  /// Refuses with `InvalidField` what makes no sense.
  static CheckoutRequest read(JsonFields fields) {
    var holdId = fields.text("holdId");
    var requester = fields.text("requester");
    var fence = fields.whole("fence", 1, Fence.MAX);
    var payment = fields.optionalObject("payment");
    if (payment == null) {
      throw fields.invalid("payment", "is missing");
    }
    fields.refuseOthers();
    var provider = payment.text("provider");
    var method = payment.text("method");
    var cents = payment.whole("amountCents", 0, CENTS_MOST);
    var currency = payment.text("currency");
    payment.refuseOthers();
    try {
      return new CheckoutRequest(
          holdId, requester, fence, provider, method, new Price(cents, currency));
    } catch (IllegalArgumentException e) {
      throw payment.invalid("currency", "has to be three capital letters, such as EUR");
    }
  }
}
