package io.holdfast.payment.notice;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.holdfast.payment.simulator.SimulatedCall;
import io.holdfast.pool.Price;
import io.holdfast.web.JsonBody;
import io.holdfast.web.JsonFields;
import io.micronaut.serde.annotation.Serdeable;
import io.swagger.v3.oas.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/// The body of a notice from a payment provider.
@Serdeable
@Schema(name = "PaymentNotice")
@JsonInclude(JsonInclude.Include.NON_NULL)
public record NoticeBody(
    @Schema(description = "The id of the payment call: its Idempotency-Key.") String callId,
    String paymentId,
    @Schema(description = "`done` or `declined`.") String outcome,
    @Schema(description = "The provider's own reference. Required if done.")
        @Nullable String reference,
    @Schema(description = "Required if done.") @Nullable Long amountCents,
    @Schema(description = "Required if done.") @Nullable String currency,
    @Nullable String why) {

  private static final long CENTS_MAX = (1L << 53) - 1;
  private static final String DONE = "done";
  private static final String DECLINED = "declined";

  public static NoticeBody of(SimulatedCall call) {
    return call.isDone()
        ? new NoticeBody(
            call.callId(),
            call.paymentId(),
            DONE,
            call.detail(),
            call.moved().cents(),
            call.moved().currency(),
            null)
        : new NoticeBody(
            call.callId(), call.paymentId(), DECLINED, null, null, null, call.detail());
  }

  /// Throws `InvalidField` for an invalid body.
  static PaymentNotice read(String provider, String webhookId, byte[] body) {
    var fields = JsonFields.of(JsonBody.read(body));
    var callId = fields.text("callId");
    var paymentId = fields.text("paymentId");
    var isDone = isDone(fields);
    var reference = fields.optionalText("reference");
    var moved = price(fields);
    var why = fields.optionalText("why");
    fields.refuseOthers();
    if (isDone && reference == null) {
      throw fields.invalid("reference", "is missing");
    }
    if (isDone && moved == null) {
      throw fields.invalid("amountCents", "is missing");
    }
    return new PaymentNotice(provider, webhookId, callId, paymentId, isDone, reference, moved, why);
  }

  /// The amount in an answer or a notice; null if there is none.
  public static @Nullable Price price(JsonFields fields) {
    var cents = fields.optionalWhole("amountCents", 0, CENTS_MAX);
    var currency = fields.optionalText("currency");
    if (cents == null && currency == null) {
      return null;
    }
    if (cents == null || currency == null) {
      throw fields.invalid(cents == null ? "amountCents" : "currency", "is missing");
    }
    try {
      return new Price(cents, currency);
    } catch (IllegalArgumentException e) {
      throw fields.invalid("currency", "has to be three capital letters");
    }
  }

  private static boolean isDone(JsonFields fields) {
    return switch (fields.text("outcome")) {
      case DONE -> true;
      case DECLINED -> false;
      default -> throw fields.invalid("outcome", "has to be done or declined");
    };
  }
}
