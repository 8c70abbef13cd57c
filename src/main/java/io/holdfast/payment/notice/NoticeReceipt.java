package io.holdfast.payment.notice;

import java.util.Locale;

/// The result of receiving a notice.
sealed interface NoticeReceipt {

  /// @param isNew false if a notice with this webhook id was stored before
  record Stored(Verdict verdict, boolean isNew) implements NoticeReceipt {}

  /// There is no such call; nothing was stored.
  record NoSuchCall() implements NoticeReceipt {}

  enum Verdict {
    /// The answer of the provider to that call.
    COUNTS,
    /// Changes nothing: repeats the answer, or is a refusal that leaves the call open.
    REPEATS,
    /// Does not fit the recorded call.
    DIFFERS,
    /// Is the opposite of the answer.
    CONTRADICTS;

    String word() {
      return name().toLowerCase(Locale.ROOT);
    }

    static Verdict of(String word) {
      return valueOf(word.toUpperCase(Locale.ROOT));
    }
  }
}
