package io.holdfast.checkout;

import io.micronaut.core.annotation.Introspected;
import io.swagger.v3.oas.annotations.media.Schema;

/// What the description says of the body; `CheckoutRequest` reads it.
@Introspected
@Schema(name = "CheckoutRequest")
record CheckoutApiSchema(String holdId, String requester, long fence, Payment payment) {

  @Introspected
  record Payment(
      @Schema(description = "simulator, or the name of the configured provider") String provider,
      String method,
      @Schema(description = "what the items cost, to the cent") long amountCents,
      String currency) {}
}
