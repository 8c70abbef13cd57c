package io.holdfast.payment;

import io.holdfast.pool.Price;
import io.holdfast.postgres.ArrayBinder;
import io.holdfast.postgres.StatementRun;
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

/// The record of calls to payment providers, each call once.
@Singleton
public final class PaymentCallLog {

  /// Need not be durable before the call is made: a crash that loses this row also loses the result
  /// of the call, so the same call is made and recorded again.
  private static final String INSERT =
      """
      WITH hasty AS (SELECT set_config('synchronous_commit', 'off', true))
      INSERT INTO payment_call
             (provider, call_id, payment_id, step, method, amount_cents, currency)
      SELECT provider, call_id, payment_id, step, method, amount_cents, currency
        FROM hasty,
             (SELECT unnest(?::text[]) AS provider, unnest(?::text[]) AS call_id,
                     unnest(?::text[]) AS payment_id, unnest(?::text[]) AS step,
                     unnest(?::text[]) AS method, unnest(?::bigint[]) AS amount_cents,
                     unnest(?::text[]) AS currency) AS given
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

  /// @param call recorded under the call id
  /// @param isNew whether it was recorded now, so that it cannot have been made before
  public record Recorded(PaymentCallRecord call, boolean isNew) {}

  /// Returns the call that is recorded under the id, which differs if the id was used before.
  public Recorded record(PaymentCallRecord call) {
    return batcher.call(call)
        ? new Recorded(call, true)
        : new Recorded(
            transactions
                .read(connection -> find(connection, call.provider(), call.callId()))
                .orElseThrow(),
            false);
  }

  private List<@Nullable Boolean> areNew(List<PaymentCallRecord> calls) {
    return transactions.write(connection -> inserted(connection, calls));
  }

  private static List<@Nullable Boolean> inserted(
      Connection connection, List<PaymentCallRecord> calls) throws SQLException {
    var inserted = new HashSet<List<String>>();
    try (var run = StatementRun.of(connection, INSERT)) {
      run.rows(calls, PaymentCallLog::bind)
          .execute()
          .take(row -> inserted.add(List.of(row.getString("provider"), row.getString("call_id"))));
    } // of two equal calls, one is new
    return calls.stream()
        .<@Nullable Boolean>map(call -> inserted.remove(List.of(call.provider(), call.callId())))
        .toList();
  }

  public static Optional<PaymentCallRecord> find(
      Connection connection, String provider, String callId) throws SQLException {
    try (var select = connection.prepareStatement(SELECT)) {
      select.setString(1, provider);
      select.setString(2, callId);
      try (var rows = select.executeQuery()) {
        return rows.next() ? Optional.of(call(rows)) : Optional.empty();
      }
    }
  }

  private static ArrayBinder<PaymentCallRecord> bind(ArrayBinder<PaymentCallRecord> columns)
      throws SQLException {
    return columns
        .text(PaymentCallRecord::provider)
        .text(PaymentCallRecord::callId)
        .text(PaymentCallRecord::paymentId)
        .text(PaymentCallRecord::step)
        .text(PaymentCallRecord::method)
        .number(call -> call.amount().cents())
        .text(call -> call.amount().currency());
  }

  private static PaymentCallRecord call(ResultSet row) throws SQLException {
    return new PaymentCallRecord(
        row.getString("provider"),
        row.getString("call_id"),
        row.getString("payment_id"),
        row.getString("step"),
        row.getString("method"),
        new Price(row.getLong("amount_cents"), row.getString("currency")));
  }
}
