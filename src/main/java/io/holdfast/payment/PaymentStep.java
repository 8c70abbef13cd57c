package io.holdfast.payment;

import io.holdfast.pool.Price;
import java.util.Locale;

/// The calls that a provider takes for a payment.
public enum PaymentStep {
  AUTHORISE,
  CAPTURE,
  CANCEL,
  REFUND;

  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  public static PaymentStep of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }

  /// Whether a refusal of the provider is final under the id of that call.
  public boolean isEndedByRefusal() {
    return switch (this) {
      case AUTHORISE, CAPTURE, CANCEL -> true;
      case REFUND -> false;
    };
  }

  /// Whether that amount fits the call: all of it, or nothing where there may be nothing to undo.
  public boolean isDoneBy(Price asked, Price moved) {
    return switch (this) {
      case AUTHORISE, CAPTURE -> moved.equals(asked);
      case CANCEL, REFUND -> moved.equals(asked) || moved.equals(asked.none());
    };
  }
}
