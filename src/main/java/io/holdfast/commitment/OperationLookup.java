package io.holdfast.commitment;

import io.holdfast.idempotency.EntryVersion;
import io.holdfast.idempotency.Token;
import io.holdfast.idempotency.store.ReplayLog;
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
import java.util.Objects;
import java.util.Optional;

/// Looks up the result of a call whose response was lost. A missing record does not prove that the
/// call was not executed: sending the same token again decides.
@Singleton
public final class OperationLookup {
  /// Calls that met another call under the token are no attempts of the recorded one, and neither
  /// are those of an earlier use of the token: the ones up to the last that was decided more than
  /// half a window before. A use begins after the window of the one before it, and attempts have
  /// slightly later times than the entries that they wrote.
  private static final String BY_TOKEN =
      """
      SELECT t.action, t.digest_function, t.outcome, t.recorded_at, t.token AS spent,
             present.executions, present.about,
             (SELECT coalesce(sum(p.replays), 0) FROM token_replay p
               WHERE p.token_hash = sha256(convert_to(t.pool, 'UTF8') || '\\x00'::bytea || t.token)
                 AND p.caller = t.caller AND p.route = t.action::text
                 AND p.used_at >= t.recorded_at) AS replays
        FROM token_result t
             CROSS JOIN LATERAL
             (SELECT greatest(1, count(*)) AS executions,
                     (array_agg(a.hold_id ORDER BY a.id DESC))[1] AS about
                FROM attempt a
               WHERE a.pool = t.pool AND a.caller = t.caller AND a.token = t.token
                 AND a.action = t.action AND a.outcome <> 'Collision'
                 AND a.recorded_at > coalesce(
                       (SELECT max(b.recorded_at) FROM attempt b
                         WHERE b.pool = t.pool AND b.caller = t.caller AND b.token = t.token
                           AND b.outcome ~ '^[A-Z_]+$' AND b.outcome <> 'ROLLED_BACK'
                           AND b.recorded_at
                               < t.recorded_at - (t.window_until - t.recorded_at) / 2),
                       '-infinity')) present
       WHERE t.pool = ? AND t.caller = ? AND t.token = ?
      """;

  /// A consumed key outlives the token of its sale, so the outcome is built from the hold.
  private static final String BY_KEY =
      """
      SELECT q.operation AS action, t.digest_function, q.consumed_at AS recorded_at,
             q.token AS spent, q.target AS about,
             (SELECT greatest(1, count(*)) FROM attempt a
               WHERE a.pool = q.pool AND a.caller = q.caller AND a.token = q.token
                 AND a.action::text = q.operation AND a.hold_id = q.target
                 AND a.outcome <> 'Collision'
                 AND a.recorded_at < q.consumed_at + used.commit_window
                 AND a.recorded_at > coalesce(
                       (SELECT max(b.recorded_at) FROM attempt b
                         WHERE b.pool = q.pool AND b.caller = q.caller AND b.token = q.token
                           AND b.outcome ~ '^[A-Z_]+$' AND b.outcome <> 'ROLLED_BACK'
                           AND b.recorded_at < q.consumed_at - used.commit_window / 2),
                       '-infinity')) AS executions,
             (SELECT coalesce(sum(p.replays), 0) FROM token_replay p
               WHERE p.token_hash = sha256(convert_to(q.pool, 'UTF8') || '\\x00'::bytea || q.token)
                 AND p.caller = q.caller AND p.route = q.operation
                 AND p.used_at >= q.consumed_at
                 AND p.used_at < q.consumed_at + used.commit_window) AS replays,
             h.*
        FROM consumed_request q
        JOIN (SELECT pool, make_interval(secs => coalesce(
                       (policy ->> 'commitWindowSeconds')::float8, 86400)) AS commit_window
                FROM pool) used ON used.pool = q.pool
        JOIN hold h ON h.pool = q.pool AND h.hold_id = q.target
        LEFT JOIN token_result t
               ON t.pool = q.pool AND t.caller = q.caller AND t.token = q.token
              AND t.recorded_at = q.consumed_at
       WHERE q.pool = ? AND q.caller = ? AND q.logical_key = hashed(?)
      """;

  private final Transactions transactions;
  private final ReplayLog replays;

  public OperationLookup(Transactions transactions, ReplayLog replays) {
    this.transactions = transactions;
    this.replays = replays;
  }

  /// Replays cannot be stored before the entry of their token. If the journal has brought it in
  /// between, they are stored now.
  public Optional<Operation> byToken(PoolName pool, String caller, Token token) {
    replays.storeNow();
    var found = read(pool, caller, token);
    if (found.isEmpty() || replays.waiting(caller, found.get().action(), pool, token) == 0) {
      return found;
    }
    replays.storeNow();
    return read(pool, caller, token);
  }

  private Optional<Operation> read(PoolName pool, String caller, Token token) {
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
    replays.storeNow();
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
    var version = row.getString("digest_function"); // null after the window of the token
    return new Operation(
        TokenAction.of(row.getString("action")),
        version == null
            ? EntryVersion.NEWEST
            : EntryVersion.of(version).orElse(EntryVersion.NEWEST),
        outcome instanceof Confirmed(var hold) && hasFailed(connection, hold.id(pool))
            ? Reason.COMPENSATING
            : outcome,
        ArrayBinder.moment(row, "recorded_at"),
        row.getLong("executions") + row.getLong("replays"),
        new Token(ArrayBinder.token(row, "spent")),
        HoldId.parse(Objects.requireNonNullElse(row.getString("about"), "")).orElse(null));
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
