package io.holdfast.payment.notice;

import java.util.Locale;

/// What a notice of a payment provider is worth.
public enum NoticeVerdict {
  /// The provider's word on that call.
  COUNTS,
  /// Changes nothing: says again what counts already, or a no that leaves the call open.
  REPEATS,
  /// Tells of something that was not asked.
  DIFFERS,
  /// Says the opposite of what counts already.
  CONTRADICTS;

  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  static NoticeVerdict of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }
}
