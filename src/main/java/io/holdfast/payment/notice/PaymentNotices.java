package io.holdfast.payment.notice;

import io.holdfast.payment.PaymentCallRecord;
import io.holdfast.payment.PaymentOutcome;
import io.holdfast.payment.PaymentOutcome.Declined;
import io.holdfast.payment.PaymentOutcome.Done;
import io.holdfast.payment.PaymentStep;
import io.holdfast.payment.notice.NoticeReceipt.Kept;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What providers have told by webhook, verified and compared; kept once for each provider and
/// webhook id. The first word on a call counts, but a no to a refund is none; whoever has not heard
/// of it asks here.
@Singleton
public final class PaymentNotices {
  private static final Logger LOG = LoggerFactory.getLogger(PaymentNotices.class);

  private final PaymentNoticeTable rows;
  private final List<Consumer<String>> listeners = new CopyOnWriteArrayList<>();

  PaymentNotices(PaymentNoticeTable rows) {
    this.rows = rows;
  }

  /// Empty as long as the provider has told nothing that counts.
  public Optional<PaymentOutcome> of(String provider, String callId) {
    return rows.find(provider, callId).map(PaymentNotices::outcome);
  }

  /// @param listener is told the payment id, on the instance that the notice came to, after it was
  ///   kept; it may be called again for one that it knows, and must be quick
  public void onNotice(Consumer<String> listener) {
    listeners.add(listener);
  }

  /// The provider's signature has been verified by now.
  NoticeReceipt receive(PaymentNotice notice) {
    var receipt = rows.keep(notice, PaymentNotices::worth);
    if (receipt instanceof Kept(var verdict, var isNew) && isNew) {
      switch (verdict) {
        case COUNTS -> listeners.forEach(listener -> tell(listener, notice));
        case REPEATS ->
            LOG.debug("{} tells nothing new on call {}", notice.provider(), notice.callId());
        case DIFFERS, CONTRADICTS -> warn(notice, verdict);
      }
    }
    return receipt;
  }

  /// As long as nothing counts yet.
  private static NoticeVerdict worth(PaymentCallRecord ask, PaymentNotice notice) {
    if (!tellsOfWhatWasAsked(ask, notice)) {
      return NoticeVerdict.DIFFERS;
    }
    return notice.isDone() || PaymentStep.of(ask.step()).isEndedByNo()
        ? NoticeVerdict.COUNTS
        : NoticeVerdict.REPEATS;
  }

  private static boolean tellsOfWhatWasAsked(PaymentCallRecord ask, PaymentNotice notice) {
    return ask.paymentId().equals(notice.paymentId())
        && (!notice.isDone()
            || PaymentStep.of(ask.step())
                .isDoneBy(ask.amount(), Objects.requireNonNull(notice.moved())));
  }

  private static PaymentOutcome outcome(PaymentNotice notice) {
    return notice.isDone()
        ? new Done(
            Objects.requireNonNull(notice.reference()), Objects.requireNonNull(notice.moved()))
        : new Declined(Objects.requireNonNullElse(notice.why(), "the provider declined"));
  }

  /// A listener that fails has lost a wake-up call and nothing else; the notice is kept.
  private static void tell(Consumer<String> listener, PaymentNotice notice) {
    try {
      listener.accept(notice.paymentId());
    } catch (RuntimeException e) {
      LOG.error(
          "Nobody could be told of a notice on payment {}; it is kept", notice.paymentId(), e);
    }
  }

  private static void warn(PaymentNotice notice, NoticeVerdict verdict) {
    LOG.error(
        "{} tells of call {} what {} our records: {}; it is kept and changes nothing, an operator"
            + " has to look at it",
        notice.provider(),
        notice.callId(),
        verdict == NoticeVerdict.DIFFERS ? "differs from" : "contradicts",
        notice);
  }
}
