package io.holdfast.checkout;

import io.holdfast.pool.Fence;
import io.holdfast.pool.Price;
import io.holdfast.web.BodyReader;
import io.holdfast.web.InvalidField;
import io.holdfast.web.JsonFields;
import io.micronaut.core.annotation.Introspected;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The body of a checkout: which hold to sell, and how it is paid for.
@Introspected
@Schema(name = "StartCheckout")
record CheckoutRequest(
    @Size(min = 1, max = 128) String holdId,
    @Size(min = 1, max = 128) @Schema(description = "The requester of the hold.") String requester,
    @Min(1) @Max(Fence.MAX) @Schema(description = "The fence of the hold.") long fence,
    Payment payment,
    @Size(max = 20)
        @Schema(
            description =
                "Stored with the checkout and shown with it: names with texts of any characters,"
                    + " 2,048 bytes in all.")
        @Nullable Map<String, String> metadata,
    @Size(min = 1, max = 128)
        @Schema(description = "A nonce of /v1/authorizations. Required if the pool asks for one.")
        @Nullable String nonce,
    @Size(min = 1, max = 128)
        @Schema(
            description =
                "Names the intended effect, which happens at most once. Default: one per hold.")
        @Nullable String logicalKey) {
  private static final BodyReader<CheckoutRequest> READER = BodyReader.of(CheckoutRequest.class);
  private static final long CENTS_MAX = 1_000_000_000_000L;

  @Introspected
  @Schema(name = "CheckoutPayment")
  record Payment(
      @Size(min = 1, max = 128)
          @Schema(description = "`simulator`, or the name of the configured provider.")
          String provider,
      @Size(min = 1, max = 128) @Schema(description = "A payment method of the provider.")
          String method,
      @Min(0) @Max(CENTS_MAX) @Schema(description = "The exact price of all items.")
          long amountCents,
      @Pattern(regexp = "^[A-Z]{3}$", message = "has to be three capital letters, such as EUR")
          String currency) {}

  static CheckoutRequest read(JsonFields fields) {
    return READER.read(fields);
  }

  /// The close of an auction has made the sale already.
  void refuseKeysOfSale() {
    if (nonce != null || logicalKey != null) {
      var field = nonce == null ? "logicalKey" : "nonce";
      throw InvalidField.of(field, "does not belong to the checkout of a bid");
    }
  }

  String provider() {
    return payment.provider;
  }

  String method() {
    return payment.method;
  }

  Price price() {
    return new Price(payment.amountCents, payment.currency);
  }
}
