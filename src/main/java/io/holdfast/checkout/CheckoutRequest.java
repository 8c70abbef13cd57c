package io.holdfast.checkout;

import io.holdfast.pool.Fence;
import io.holdfast.pool.Price;
import io.holdfast.web.JsonFields;
import io.micronaut.core.annotation.Introspected;
import io.swagger.v3.oas.annotations.media.Schema;

/// The body of a request to start a checkout.
///
/// @param fence that the holder was given
record CheckoutRequest(
    String holdId, String requester, long fence, String provider, String method, Price price) {
  private static final long CENTS_MAX = 1_000_000_000_000L;

  /// Throws `InvalidField` for an invalid body.
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
    var cents = payment.whole("amountCents", 0, CENTS_MAX);
    var currency = payment.text("currency");
    payment.refuseOthers();
    try {
      return new CheckoutRequest(
          holdId, requester, fence, provider, method, new Price(cents, currency));
    } catch (IllegalArgumentException e) {
      throw payment.invalid("currency", "has to be three capital letters, such as EUR");
    }
  }

  /// The fields as the OpenAPI description shows them.
  @Introspected
  @Schema(name = "CheckoutRequest", description = "Pay for the items of a hold")
  record Json(String holdId, String requester, long fence, PaymentJson payment) {}

  @Introspected
  @Schema(name = "CheckoutPayment")
  record PaymentJson(
      @Schema(description = "simulator, or the name of the configured provider") String provider,
      String method,
      @Schema(description = "the price of the items, to the cent") long amountCents,
      String currency) {}
}
