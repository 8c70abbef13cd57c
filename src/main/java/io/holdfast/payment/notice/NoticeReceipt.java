package io.holdfast.payment.notice;

/// What became of a notice.
public sealed interface NoticeReceipt {

  /// @param isNew false if this webhook id had been there before
  record Kept(NoticeVerdict verdict, boolean isNew) implements NoticeReceipt {}

  /// There is no such call on record; nothing was kept.
  record NoSuchCall() implements NoticeReceipt {}
}
