package io.holdfast.payment.notice;

import io.holdfast.payment.PaymentCallLog;
import io.holdfast.payment.PaymentCallRecord;
import io.holdfast.payment.PaymentOutcome;
import io.holdfast.payment.PaymentOutcome.Declined;
import io.holdfast.payment.PaymentOutcome.Done;
import io.holdfast.payment.PaymentStep;
import io.holdfast.payment.notice.NoticeReceipt.NoSuchCall;
import io.holdfast.payment.notice.NoticeReceipt.Stored;
import io.holdfast.payment.notice.NoticeReceipt.Verdict;
import io.holdfast.pool.Price;
import io.holdfast.postgres.Transactions;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Stores the notices of payment providers, each webhook id once, and compares them with the
/// recorded calls. The first notice on a call is its answer; a refusal of a refund is none.
@Singleton
public final class PaymentNotices {
  private static final Logger LOG = LoggerFactory.getLogger(PaymentNotices.class);

  private static final String INSERT =
      """
      INSERT INTO payment_notice
             (provider, webhook_id, call_id, payment_id, outcome, reference, amount_cents, currency,
              why, verdict)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
          ON CONFLICT DO NOTHING
      """;

  private static final String VERDICT_OF_WEBHOOK =
      "SELECT verdict FROM payment_notice WHERE provider = ? AND webhook_id = ?";

  private static final String ANSWER =
      "SELECT * FROM payment_notice WHERE provider = ? AND call_id = ? AND verdict = 'counts'";

  private final Transactions transactions;
  private final List<Consumer<String>> listeners = new CopyOnWriteArrayList<>();

  PaymentNotices(Transactions transactions) {
    this.transactions = transactions;
  }

  /// Empty before the provider has answered that call by a notice.
  public Optional<PaymentOutcome> of(String provider, String callId) {
    var notice =
        transactions.read(connection -> Optional.ofNullable(answer(connection, provider, callId)));
    return notice.map(PaymentNotices::outcome);
  }

  private static PaymentOutcome outcome(PaymentNotice notice) {
    return notice.isDone()
        ? new Done(
            Objects.requireNonNull(notice.reference()), Objects.requireNonNull(notice.moved()))
        : new Declined(Objects.requireNonNullElse(notice.why(), "the provider declined"));
  }

  /// @param listener is called with the payment id on the instance that received the notice, after
  ///   it was stored; it may be called more than once and must be quick
  public void onNotice(Consumer<String> listener) {
    listeners.add(listener);
  }

  /// @param notice whose signature has been verified
  NoticeReceipt receive(PaymentNotice notice) {
    var receipt = transactions.write(connection -> store(connection, notice));
    if (receipt instanceof Stored(var verdict, var isNew) && isNew) {
      switch (verdict) {
        case COUNTS -> listeners.forEach(listener -> inform(listener, notice));
        case REPEATS -> LOG.debug("{} repeats call {}", notice.provider(), notice.callId());
        case DIFFERS, CONTRADICTS -> report(notice, verdict);
      }
    }
    return receipt;
  }

  private static NoticeReceipt store(Connection connection, PaymentNotice notice)
      throws SQLException {
    var call = PaymentCallLog.find(connection, notice.provider(), notice.callId());
    if (call.isEmpty()) {
      return new NoSuchCall();
    }
    var verdict = verdict(call.get(), notice);
    return store(
        connection,
        notice,
        verdict == Verdict.REPEATS ? verdictBesideAnswer(connection, notice) : verdict);
  }

  /// The verdict if the call has no answer yet.
  private static Verdict verdict(PaymentCallRecord call, PaymentNotice notice) {
    if (!fits(call, notice)) {
      return Verdict.DIFFERS;
    }
    return notice.isDone() || PaymentStep.of(call.step()).isEndedByRefusal()
        ? Verdict.COUNTS
        : Verdict.REPEATS;
  }

  private static boolean fits(PaymentCallRecord call, PaymentNotice notice) {
    return call.paymentId().equals(notice.paymentId())
        && (!notice.isDone()
            || PaymentStep.of(call.step())
                .isDoneBy(call.amount(), Objects.requireNonNull(notice.moved())));
  }

  /// Equal webhook ids, and answers to one call, wait for each other at the insert.
  private static Stored store(Connection connection, PaymentNotice notice, Verdict verdict)
      throws SQLException {
    if (insert(connection, notice, verdict)) {
      return new Stored(verdict, true);
    }
    var earlier = verdictOfWebhook(connection, notice);
    if (earlier != null) {
      return new Stored(earlier, false);
    }
    return store(connection, notice, verdictBesideAnswer(connection, notice));
  }

  private static Verdict verdictBesideAnswer(Connection connection, PaymentNotice notice)
      throws SQLException {
    var answer = answer(connection, notice.provider(), notice.callId());
    var isSame = answer == null || answer.isDone() == notice.isDone();
    return isSame ? Verdict.REPEATS : Verdict.CONTRADICTS;
  }

  private static boolean insert(Connection connection, PaymentNotice notice, Verdict verdict)
      throws SQLException {
    try (var insert = connection.prepareStatement(INSERT)) {
      insert.setString(1, notice.provider());
      insert.setString(2, notice.webhookId());
      insert.setString(3, notice.callId());
      insert.setString(4, notice.paymentId());
      insert.setString(5, notice.isDone() ? "done" : "declined");
      insert.setString(6, notice.reference());
      bind(insert, notice.moved());
      insert.setString(9, notice.why());
      insert.setString(10, verdict.word());
      return insert.executeUpdate() == 1;
    }
  }

  private static void bind(PreparedStatement insert, @Nullable Price moved) throws SQLException {
    if (moved == null) {
      insert.setNull(7, Types.BIGINT);
      insert.setNull(8, Types.VARCHAR);
    } else {
      insert.setLong(7, moved.cents());
      insert.setString(8, moved.currency());
    }
  }

  private static @Nullable Verdict verdictOfWebhook(Connection connection, PaymentNotice notice)
      throws SQLException {
    try (var select = connection.prepareStatement(VERDICT_OF_WEBHOOK)) {
      select.setString(1, notice.provider());
      select.setString(2, notice.webhookId());
      try (var rows = select.executeQuery()) {
        return rows.next() ? Verdict.of(rows.getString("verdict")) : null;
      }
    }
  }

  private static @Nullable PaymentNotice answer(
      Connection connection, String provider, String callId) throws SQLException {
    try (var select = connection.prepareStatement(ANSWER)) {
      select.setString(1, provider);
      select.setString(2, callId);
      try (var rows = select.executeQuery()) {
        return rows.next() ? notice(rows) : null;
      }
    }
  }

  private static PaymentNotice notice(ResultSet row) throws SQLException {
    var currency = row.getString("currency");
    return new PaymentNotice(
        row.getString("provider"),
        row.getString("webhook_id"),
        row.getString("call_id"),
        row.getString("payment_id"),
        row.getString("outcome").equals("done"),
        row.getString("reference"),
        currency == null ? null : new Price(row.getLong("amount_cents"), currency),
        row.getString("why"));
  }

  /// A listener that fails has only missed a wake-up; the notice is stored.
  private static void inform(Consumer<String> listener, PaymentNotice notice) {
    try {
      listener.accept(notice.paymentId());
    } catch (RuntimeException e) {
      LOG.error(
          "The checkout of payment {} was not woken by a notice; it is stored",
          notice.paymentId(),
          e);
    }
  }

  private static void report(PaymentNotice notice, Verdict verdict) {
    LOG.error(
        "The notice of {} on call {} {} our records: {}; it is stored and changes nothing, an"
            + " operator has to look at it",
        notice.provider(),
        notice.callId(),
        verdict == Verdict.DIFFERS ? "differs from" : "contradicts",
        notice);
  }
}
