package io.holdfast.payment;

import io.holdfast.pool.Price;
import java.util.Locale;

/// What a provider can be asked to do with a payment.
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

  /// Whether a no is a provider's last word under the id of that call.
  public boolean isEndedByNo() {
    return switch (this) {
      case AUTHORISE, CAPTURE, CANCEL -> true;
      case REFUND -> false;
    };
  }

  /// Whether that much is what was asked for: all of it, and where there may have been nothing to
  /// undo, nothing.
  public boolean isDoneBy(Price asked, Price moved) {
    return switch (this) {
      case AUTHORISE, CAPTURE -> moved.equals(asked);
      case CANCEL, REFUND -> moved.equals(asked) || moved.equals(asked.none());
    };
  }
}
