package io.holdfast.commitment.sale;

import io.holdfast.idempotency.Token;
import io.holdfast.pool.OutcomeCodec;
import io.holdfast.pool.Pool;
import io.holdfast.pool.TokenAction;
import io.holdfast.postgres.ArrayBinder;
import io.holdfast.postgres.ConnectionPool;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Resolves a COMMIT whose response was lost. The transaction keeps the lock of its token until it
/// ends. The resolver takes that lock and then reads the result.
@Singleton
public final class LostCommitResolver {
  private static final Logger LOG = LoggerFactory.getLogger(LostCommitResolver.class);
  private static final Duration PATIENCE = Duration.ofSeconds(2);
  private static final Duration PAUSE = Duration.ofMillis(50);

  /// A token row that the transaction was to write.
  ///
  /// @param outcome the stored text, with the time left open
  /// @param at the earliest time that the row may have
  public record TokenRow(
      TokenAction action, Pool pool, String caller, Token token, String outcome, Instant at) {}

  private final ConnectionPool link;
  private final Duration patience;

  @Inject
  LostCommitResolver(ConnectionPool link) {
    this(link, PATIENCE);
  }

  LostCommitResolver(ConnectionPool link, Duration patience) {
    this.link = link;
    this.patience = patience;
  }

  /// Whether the transaction that was to write all of `spent` was committed; empty if Postgres does
  /// not answer.
  ///
  /// @param backend the process of Postgres that may not have run the transaction yet: while it
  ///   runs, missing rows may still appear; 0 if there is none
  public Optional<Boolean> isCommitted(List<TokenRow> spent, int backend) {
    var end = System.nanoTime() + patience.toNanos();
    do {
      try {
        var hasEnded = backend == 0 || !isAlive(backend); // must be read before its rows
        if (areThere(spent)) {
          return Optional.of(true);
        }
        if (hasEnded) {
          return Optional.of(false);
        }
      } catch (SQLException e) {
        LOG.debug("the end of a transaction is still unknown", e);
      }
      LockSupport.parkNanos(PAUSE.toNanos());
    } while (System.nanoTime() < end && !Thread.currentThread().isInterrupted());
    LOG.warn("The end of a transaction is unknown; the same token sent again tells");
    return Optional.empty();
  }

  private boolean isAlive(int backend) throws SQLException {
    try (var connection = link.connection();
        var select = connection.prepareStatement("SELECT 1 FROM pg_stat_activity WHERE pid = ?")) {
      select.setInt(1, backend);
      try (var rows = select.executeQuery()) {
        return rows.next();
      }
    }
  }

  private boolean areThere(List<TokenRow> spent) throws SQLException {
    for (var each : spent) {
      if (!isThere(each)) {
        return false;
      }
    }
    return true;
  }

  private boolean isThere(TokenRow spent) throws SQLException {
    try (var connection = link.connection()) {
      connection.setAutoCommit(false);
      awaitEnd(connection, spent);
      return isRecorded(connection, spent);
    }
  }

  private static void awaitEnd(Connection connection, TokenRow spent) throws SQLException {
    try (var lock = connection.prepareStatement("SELECT pg_advisory_xact_lock(?)")) {
      lock.setLong(
          1,
          AdvisoryLocks.ofToken(
              spent.pool().name().value(), spent.caller(), spent.token().value()));
      lock.execute();
    }
  }

  private static boolean isRecorded(Connection connection, TokenRow spent) throws SQLException {
    var sql =
        """
        SELECT outcome, recorded_at FROM token_result
         WHERE pool = ? AND caller = ? AND token = ? AND action = ?::token_action
        """;
    try (var select = connection.prepareStatement(sql)) {
      select.setString(1, spent.pool().name().value());
      select.setString(2, spent.caller());
      select.setBytes(3, ArrayBinder.bytes(spent.token().value()));
      select.setString(4, spent.action().word());
      try (var rows = select.executeQuery()) {
        return rows.next()
            && OutcomeCodec.isSame(rows.getString("outcome"), spent.outcome())
            && !isBefore(ArrayBinder.moment(rows, "recorded_at"), spent.at());
      }
    }
  }

  /// A row older than that belongs to an earlier use of the token, whose window has elapsed.
  private static boolean isBefore(Instant recorded, Instant at) {
    return recorded.toEpochMilli() < at.toEpochMilli();
  }
}
