package io.holdfast.commitment;

import io.holdfast.idempotency.Token;
import io.holdfast.journal.store.HoldRows;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.OutcomeCodec;
import io.holdfast.pool.PoolName;
import io.holdfast.pool.StoredOutcome;
import io.holdfast.pool.StoredOutcome.Confirmed;
import io.holdfast.pool.StoredOutcome.Reason;
import io.holdfast.pool.TokenAction;
import io.holdfast.postgres.ArrayBinder;
import io.holdfast.postgres.Transactions;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

/// Looks up the result of a call whose response was lost. A missing record does not prove that the
/// call was not executed: sending the same token again decides.
@Singleton
public final class OperationLookup {
  private static final String BY_TOKEN =
      """
      SELECT t.action, t.outcome, t.recorded_at, t.token AS spent,
             (SELECT greatest(1, count(*)) FROM attempt a
               WHERE a.pool = t.pool AND a.caller = t.caller AND a.token = t.token) AS attempts
        FROM token_result t
       WHERE t.pool = ? AND t.caller = ? AND t.token = ?
      """;

  /// A consumed key outlives the token of its sale, so the outcome is built from the hold.
  private static final String BY_KEY =
      """
      SELECT q.operation AS action, q.consumed_at AS recorded_at, q.token AS spent,
             (SELECT greatest(1, count(*)) FROM attempt a
               WHERE a.pool = q.pool AND a.caller = q.caller AND a.token = q.token) AS attempts,
             h.*
        FROM consumed_request q
        JOIN hold h ON h.pool = q.pool AND h.hold_id = q.target
       WHERE q.pool = ? AND q.caller = ? AND q.logical_key = ?
      """;

  private final Transactions transactions;

  public OperationLookup(Transactions transactions) {
    this.transactions = transactions;
  }

  public Optional<Operation> byToken(PoolName pool, String caller, Token token) {
    return transactions.read(
        connection -> {
          try (var select = connection.prepareStatement(BY_TOKEN)) {
            select.setString(1, pool.value());
            select.setString(2, caller);
            select.setBytes(3, ArrayBinder.bytes(token.value()));
            try (var rows = select.executeQuery()) {
              return rows.next()
                  ? Optional.of(operation(connection, pool, rows, outcome(rows)))
                  : Optional.empty();
            }
          }
        });
  }

  public Optional<Operation> byLogicalKey(PoolName pool, String caller, String key) {
    return transactions.read(
        connection -> {
          try (var select = connection.prepareStatement(BY_KEY)) {
            select.setString(1, pool.value());
            select.setString(2, caller);
            select.setString(3, key);
            try (var rows = select.executeQuery()) {
              return rows.next()
                  ? Optional.of(operation(connection, pool, rows, sale(rows)))
                  : Optional.empty();
            }
          }
        });
  }

  private static StoredOutcome outcome(ResultSet row) throws SQLException {
    return OutcomeCodec.parse(row.getString("outcome"));
  }

  private static StoredOutcome sale(ResultSet row) throws SQLException {
    return new Confirmed(HoldRows.record(row));
  }

  private static Operation operation(
      Connection connection, PoolName pool, ResultSet row, StoredOutcome outcome)
      throws SQLException {
    return new Operation(
        TokenAction.of(row.getString("action")),
        outcome instanceof Confirmed(var hold) && hasFailed(connection, hold.id(pool))
            ? Reason.COMPENSATING
            : outcome,
        ArrayBinder.moment(row, "recorded_at"),
        row.getLong("attempts"),
        new Token(ArrayBinder.token(row, "spent")));
  }

  /// Whether the verification of the sale has failed.
  private static boolean hasFailed(Connection connection, HoldId hold) throws SQLException {
    var sql = "SELECT 1 FROM verification WHERE pool = ? AND hold_id = ? AND NOT passed";
    try (var select = connection.prepareStatement(sql)) {
      select.setString(1, hold.pool().value());
      select.setString(2, hold.toString());
      try (var rows = select.executeQuery()) {
        return rows.next();
      }
    }
  }
}
