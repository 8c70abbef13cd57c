package io.holdfast.payment.notice;

import io.holdfast.payment.PaymentCallLog;
import io.holdfast.payment.PaymentCallRecord;
import io.holdfast.payment.notice.NoticeReceipt.Kept;
import io.holdfast.payment.notice.NoticeReceipt.NoSuchCall;
import io.holdfast.pool.Price;
import io.holdfast.postgres.Transactions;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Optional;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/// What payment providers have told, each webhook id once, and at most one word on each call.
@Singleton
public final class PaymentNoticeTable {
  private static final String INSERT =
      """
      INSERT INTO payment_notice
             (provider, webhook_id, call_id, payment_id, outcome, reference, amount_cents, currency,
              why, verdict)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
          ON CONFLICT DO NOTHING
      """;

  private static final String OF_WEBHOOK =
      "SELECT verdict FROM payment_notice WHERE provider = ? AND webhook_id = ?";

  private static final String THAT_COUNTS =
      "SELECT * FROM payment_notice WHERE provider = ? AND call_id = ? AND verdict = 'counts'";

  private final Transactions transactions;

  PaymentNoticeTable(Transactions transactions) {
    this.transactions = transactions;
  }

  /// The word on a call, if there is one.
  public Optional<PaymentNotice> find(String provider, String callId) {
    return transactions.read(
        connection -> Optional.ofNullable(thatCounts(connection, provider, callId)));
  }

  /// @param worth of the notice on what was asked, as long as nothing counts yet
  public NoticeReceipt keep(
      PaymentNotice notice, BiFunction<PaymentCallRecord, PaymentNotice, NoticeVerdict> worth) {
    return transactions.write(
        connection -> {
          var ask = PaymentCallLog.find(connection, notice.provider(), notice.callId());
          if (ask.isEmpty()) {
            return new NoSuchCall();
          }
          var first = worth.apply(ask.get(), notice);
          return keep(
              connection,
              notice,
              first == NoticeVerdict.REPEATS ? besidesTheWord(connection, notice) : first);
        });
  }

  /// Equal webhook ids, and words on one call, wait for each other at the insert.
  private static Kept keep(Connection connection, PaymentNotice notice, NoticeVerdict verdict)
      throws SQLException {
    if (insert(connection, notice, verdict)) {
      return new Kept(verdict, true);
    }
    var earlier = ofWebhook(connection, notice);
    if (earlier != null) {
      return new Kept(earlier, false);
    }
    return keep(connection, notice, besidesTheWord(connection, notice));
  }

  private static NoticeVerdict besidesTheWord(Connection connection, PaymentNotice notice)
      throws SQLException {
    var word = thatCounts(connection, notice.provider(), notice.callId());
    var isSame = word == null || word.isDone() == notice.isDone();
    return isSame ? NoticeVerdict.REPEATS : NoticeVerdict.CONTRADICTS;
  }

  private static boolean insert(Connection connection, PaymentNotice notice, NoticeVerdict verdict)
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

  private static @Nullable NoticeVerdict ofWebhook(Connection connection, PaymentNotice notice)
      throws SQLException {
    try (var select = connection.prepareStatement(OF_WEBHOOK)) {
      select.setString(1, notice.provider());
      select.setString(2, notice.webhookId());
      try (var rows = select.executeQuery()) {
        return rows.next() ? NoticeVerdict.of(rows.getString("verdict")) : null;
      }
    }
  }

  private static @Nullable PaymentNotice thatCounts(
      Connection connection, String provider, String callId) throws SQLException {
    try (var select = connection.prepareStatement(THAT_COUNTS)) {
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
}
