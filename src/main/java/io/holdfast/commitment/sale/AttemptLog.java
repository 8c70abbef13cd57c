package io.holdfast.commitment.sale;

import io.holdfast.commitment.ConfirmRequest;
import io.holdfast.idempotency.Token;
import io.holdfast.pool.PoolName;
import io.holdfast.pool.TokenAction;
import io.holdfast.postgres.ArrayBinder;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.postgres.StatementRun;
import io.holdfast.postgres.Transactions;
import io.holdfast.subject.CallerText;
import jakarta.inject.Singleton;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Records every execution of a call: in the transaction of its effect, or in a separate one if
/// that was rolled back.
@Singleton
final class AttemptLog {
  private static final Logger LOG = LoggerFactory.getLogger(AttemptLog.class);

  private static final String INSERT =
      """
      INSERT INTO attempt (pool, caller, token, attempt_id, action, hold_id, logical_key, outcome,
                           detail)
      SELECT unnest(?::text[]), unnest(?::text[]), unnest(?::bytea[]), unnest(?::text[]),
             unnest(?::text[])::token_action, unnest(?::text[]), unnest(?::text[]),
             unnest(?::text[]), unnest(?::text[])
      """;

  private final Transactions transactions;

  AttemptLog(Transactions transactions) {
    this.transactions = transactions;
  }

  /// @param outcome its stored word; `detail`, further information
  record Tried(
      TokenAction action,
      PoolName pool,
      String caller,
      Token token,
      @Nullable String attemptId,
      String holdId,
      @Nullable String logicalKey,
      String outcome,
      String detail) {

    static Tried of(ConfirmRequest request, String outcome, String detail) {
      return new Tried(
          TokenAction.CONFIRM,
          request.pool().name(),
          request.caller(),
          request.token(),
          request.unnamedAttemptId(),
          request.hold().toString(),
          request.key(),
          outcome,
          detail);
    }
  }

  /// Runs in a separate transaction. A failure is only logged.
  void rolledBack(List<Tried> tried) {
    try {
      transactions.write(
          connection -> {
            try (var run = StatementRun.of(connection, INSERT)) {
              return run.rows(tried, AttemptLog::bind).execute();
            }
          });
    } catch (PostgresUnavailable e) {
      if (!e.isLogged()) {
        LOG.warn("Attempts that were rolled back could not be recorded: {}", words(tried), e);
      }
    }
  }

  private static String words(List<Tried> tried) {
    return tried.stream()
        .map(one -> "%s %s by %s: %s".formatted(one.action, one.holdId, one.caller, one.outcome))
        .collect(Collectors.joining(", "));
  }

  private static ArrayBinder<Tried> bind(ArrayBinder<Tried> columns) throws SQLException {
    return columns
        .text(tried -> tried.pool.value())
        .text(Tried::caller)
        .bytes(tried -> tried.token.value())
        .text(Tried::attemptId)
        .text(tried -> tried.action.word())
        .text(Tried::holdId)
        .text(tried -> tried.logicalKey == null ? null : CallerText.hashed(tried.logicalKey))
        .text(Tried::outcome)
        .text(Tried::detail);
  }
}
