package io.holdfast.payment;

import io.holdfast.pool.Price;
import io.holdfast.postgres.Columns;
import io.holdfast.postgres.LoneRow;
import io.holdfast.postgres.Transactions;
import io.holdfast.runtime.BatchPolicy;
import io.holdfast.runtime.BlockingBatcher;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The record of what payment providers were asked, each call once.
@Singleton
public final class PaymentCallLog {

  /// Need not be on disk before the provider is asked: whoever could have lost this row has lost
  /// whatever the call has led to as well, and makes the same call again, which writes it again.
  private static final String INSERT =
      """
      WITH hasty AS (SELECT set_config('synchronous_commit', 'off', true))
      INSERT INTO payment_call
             (provider, call_id, payment_id, step, method, amount_cents, currency)
      SELECT provider, call_id, payment_id, step, method, amount_cents, currency
        FROM hasty,
             unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::bigint[], ?::text[])
          AS given (provider, call_id, payment_id, step, method, amount_cents, currency)
       ORDER BY provider, call_id
          ON CONFLICT (provider, call_id) DO NOTHING
      RETURNING provider, call_id
      """;

  private static final String SELECT =
      "SELECT * FROM payment_call WHERE provider = ? AND call_id = ?";

  private static final int BATCH_MAX = 64;

  private final Transactions transactions;
  private final BlockingBatcher<PaymentCallRecord, Boolean> batcher =
      new BlockingBatcher<>(
          "payment-calls",
          BatchPolicy.oneAtATime(BATCH_MAX),
          this::areNew,
          call -> areNew(List.of(call)).getFirst());

  PaymentCallLog(Transactions transactions) {
    this.transactions = transactions;
  }

  /// @param ask what is on record under the id of a call
  /// @param isNew whether it has just been put there, so that nobody can have asked before
  public record OnRecord(PaymentCallRecord ask, boolean isNew) {}

  /// Returns what is on record under that id, which is something else if the id was spent on it.
  public OnRecord record(PaymentCallRecord ask) {
    return batcher.call(ask)
        ? new OnRecord(ask, true)
        : new OnRecord(
            transactions
                .read(connection -> find(connection, ask.provider(), ask.callId()))
                .orElseThrow(),
            false);
  }

  private List<@Nullable Boolean> areNew(List<PaymentCallRecord> asks) {
    return transactions.write(connection -> inserted(connection, asks));
  }

  private static List<@Nullable Boolean> inserted(
      Connection connection, List<PaymentCallRecord> asks) throws SQLException {
    var isLone = asks.size() == 1;
    var inserted = new HashSet<List<String>>();
    try (var insert = connection.prepareStatement(isLone ? LoneRow.text(INSERT) : INSERT)) {
      bind(new Columns.Slots(connection, insert, 1, isLone), asks);
      try (var rows = insert.executeQuery()) {
        while (rows.next()) {
          inserted.add(List.of(rows.getString("provider"), rows.getString("call_id")));
        }
      }
    } // of two equal ones, one is new
    return asks.stream()
        .<@Nullable Boolean>map(ask -> inserted.remove(List.of(ask.provider(), ask.callId())))
        .toList();
  }

  public static Optional<PaymentCallRecord> find(
      Connection connection, String provider, String callId) throws SQLException {
    try (var select = connection.prepareStatement(SELECT)) {
      select.setString(1, provider);
      select.setString(2, callId);
      try (var rows = select.executeQuery()) {
        return rows.next() ? Optional.of(ask(rows)) : Optional.empty();
      }
    }
  }

  private static void bind(Columns.Slots slots, List<PaymentCallRecord> asks) throws SQLException {
    slots
        .of(asks)
        .text(PaymentCallRecord::provider)
        .text(PaymentCallRecord::callId)
        .text(PaymentCallRecord::paymentId)
        .text(PaymentCallRecord::step)
        .text(PaymentCallRecord::method)
        .number(ask -> ask.amount().cents())
        .text(ask -> ask.amount().currency());
  }

  private static PaymentCallRecord ask(ResultSet row) throws SQLException {
    return new PaymentCallRecord(
        row.getString("provider"),
        row.getString("call_id"),
        row.getString("payment_id"),
        row.getString("step"),
        row.getString("method"),
        new Price(row.getLong("amount_cents"), row.getString("currency")));
  }
}
