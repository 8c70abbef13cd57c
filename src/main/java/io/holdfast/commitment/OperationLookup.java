package io.holdfast.commitment;

import io.holdfast.idempotency.Token;
import io.holdfast.journal.store.HoldRows;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.PoolName;
import io.holdfast.pool.TokenAction;
import io.holdfast.postgres.Columns;
import io.holdfast.postgres.Transactions;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

/// Tells what became of a call, for whoever has lost the answer. No record now does not mean that
/// it did not happen: sending the same token again decides.
@Singleton
public final class OperationLookup {
  private static final String ATTEMPTS =
      """
      (SELECT greatest(1, count(*)) FROM attempt a
        WHERE a.pool = t.pool AND a.caller = t.caller AND a.token = t.token) AS attempts
      """;

  private static final String BY_TOKEN =
      """
      SELECT t.action, t.outcome, t.recorded_at, t.token AS spent, %s FROM token_result t
       WHERE t.pool = ? AND t.caller = ? AND t.token = ?
      """
          .formatted(ATTEMPTS);

  /// A consumed key outlives the token that consumed it; the hold tells what came of it.
  private static final String BY_KEY =
      """
      SELECT t.operation AS action, t.consumed_at AS recorded_at, t.token AS spent, %s, h.*
        FROM consumed_request t
        JOIN hold h ON h.pool = t.pool AND h.hold_id = t.target
       WHERE t.pool = ? AND t.caller = ? AND t.logical_key = ?
      """
          .formatted(ATTEMPTS);

  private final Transactions transactions;

  OperationLookup(Transactions transactions) {
    this.transactions = transactions;
  }

  public Optional<Operation> byToken(PoolName pool, String caller, Token token) {
    return transactions.read(
        connection -> {
          try (var select = connection.prepareStatement(BY_TOKEN)) {
            select.setString(1, pool.value());
            select.setString(2, caller);
            select.setBytes(3, Columns.bytes(token.value()));
            try (var rows = select.executeQuery()) {
              return rows.next()
                  ? Optional.of(operation(connection, pool, rows, rows.getString("outcome")))
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
                  ? Optional.of(operation(connection, pool, rows, confirmed(rows)))
                  : Optional.empty();
            }
          }
        });
  }

  private static String confirmed(ResultSet row) throws SQLException {
    return DecidedRequest.CONFIRMED + HoldRows.record(row).format();
  }

  private static Operation operation(
      Connection connection, PoolName pool, ResultSet row, String outcome) throws SQLException {
    return new Operation(
        TokenAction.of(row.getString("action")),
        isUnsound(connection, pool, outcome) ? ConfirmRules.COMPENSATING : outcome,
        Columns.moment(row, "recorded_at"),
        row.getLong("attempts"),
        new Token(Columns.token(row, "spent")));
  }

  /// Whether it is a sale that has failed the second look.
  private static boolean isUnsound(Connection connection, PoolName pool, String outcome)
      throws SQLException {
    if (!outcome.startsWith(DecidedRequest.CONFIRMED)) {
      return false;
    }
    var hold = HoldRecord.parse(outcome.substring(DecidedRequest.CONFIRMED.length()));
    var sql = "SELECT 1 FROM verification WHERE pool = ? AND hold_id = ? AND NOT passed";
    try (var select = connection.prepareStatement(sql)) {
      select.setString(1, pool.value());
      select.setString(2, hold.id(pool).toString());
      try (var rows = select.executeQuery()) {
        return rows.next();
      }
    }
  }
}
