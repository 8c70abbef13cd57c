package io.holdfast.idempotency.store;

import io.holdfast.idempotency.Digest;
import io.holdfast.idempotency.Token;
import io.holdfast.idempotency.store.IdempotentResult.Answer;
import io.holdfast.idempotency.store.IdempotentResult.Collision;
import io.holdfast.idempotency.store.IdempotentResult.Done;
import io.holdfast.idempotency.store.IdempotentResult.Replayed;
import io.holdfast.idempotency.store.IdempotentResult.Unknown;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.ConnectionPool;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.postgres.StatementRun;
import io.holdfast.postgres.Transaction;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Executes the calls of an `IdempotentRouteCall` once for each token: the answer is stored in the
/// same transaction as the effect. Concurrent calls under one token wait for each other at the row,
/// on all instances, for at most the lock timeout.
@Singleton
public final class IdempotencyStore {
  private static final Logger LOG = LoggerFactory.getLogger(IdempotencyStore.class);

  private static final String LOCK_NOT_AVAILABLE = "55P03";

  /// A read-only transaction; a full disk.
  private static final Set<String> REFUSED_WRITES = Set.of("25006", "53100");

  /// Inserts the row of the token, waiting for a concurrent call that has inserted it. Takes over a
  /// row after its window.
  private static final String RESERVE =
      """
      INSERT INTO request_result AS r
             (caller, route, token_hash, digest, digest_function, pool, recorded_at, window_end)
      VALUES (?, ?, ?, ?, ?, ?, clock_timestamp(),
              clock_timestamp() + ? * interval '1 millisecond')
          ON CONFLICT ON CONSTRAINT request_result_key DO UPDATE
             SET digest = EXCLUDED.digest, digest_function = EXCLUDED.digest_function,
                 status = NULL, body = NULL, pool = EXCLUDED.pool,
                 recorded_at = EXCLUDED.recorded_at, window_end = EXCLUDED.window_end
           WHERE r.window_end <= clock_timestamp()
      """;

  private static final String READ =
      """
      SELECT digest, status, body FROM request_result
       WHERE caller = ? AND route = ? AND token_hash = ? AND window_end > clock_timestamp()
      """;

  private static final String STORE_ANSWER =
      """
      UPDATE request_result SET status = ?, body = ?
       WHERE caller = ? AND route = ? AND token_hash = ?
      """;

  /// Inserts rows of unused tokens together with their answers. If it inserts fewer rows than
  /// given, the caller rolls back and runs the calls one by one.
  private static final String INSERT_ANSWERED =
      """
      INSERT INTO request_result (caller, route, token_hash, digest, digest_function, pool,
                                  recorded_at, window_end, status, body)
      SELECT caller, route, token_hash, digest, digest_function, pool, clock_timestamp(),
             clock_timestamp() + window_ms * interval '1 millisecond', status, body
        FROM (SELECT unnest(?::text[]) AS caller, unnest(?::text[]) AS route,
                     unnest(?::bytea[]) AS token_hash, unnest(?::text[]) AS digest,
                     unnest(?::text[]) AS digest_function, unnest(?::text[]) AS pool,
                     unnest(?::bigint[]) AS window_ms,
                     unnest(?::bigint[]) AS status, unnest(?::bytea[]) AS body) AS given
       ORDER BY caller, route, token_hash
          ON CONFLICT DO NOTHING
      """;

  private final ConnectionPool link;
  private final ReplayLog replays;

  IdempotencyStore(ConnectionPool link, ReplayLog replays) {
    this.link = link;
    this.replays = replays;
  }

  /// Runs `work` and stores its answer, unless the token was used within its window. An exception
  /// of `work` rolls back and stores nothing.
  ///
  /// @throws PostgresUnavailable if nothing was committed
  public IdempotentResult once(IdempotentRouteCall call, Work work) {
    try (var connection = link.connection()) {
      connection.setAutoCommit(false); // the pool rolls back what is not committed
      return switch (reserve(connection, call)) {
        case RESERVED -> runAndCommit(connection, call, work);
        case USED -> counted(call, storedResult(connection, call));
        case BUSY -> new Unknown();
      };
    } catch (SQLException e) {
      return replayWithoutWriting(call, e);
    }
  }

  /// A Postgres that refuses writes can still tell what it has stored.
  private IdempotentResult replayWithoutWriting(IdempotentRouteCall call, SQLException cause) {
    if (REFUSED_WRITES.contains(String.valueOf(cause.getSQLState()))) {
      var before = find(call);
      if (before.isPresent()) {
        return before.get();
      }
    }
    throw PostgresUnavailable.nothingChanged(cause);
  }

  private IdempotentResult counted(IdempotentRouteCall call, IdempotentResult result) {
    if (result instanceof Replayed) {
      replays.count(call);
    }
    return result;
  }

  /// The result that is stored under the token; empty if the token was not used within its window.
  public Optional<IdempotentResult> find(IdempotentRouteCall call) {
    try (var connection = link.connection()) {
      var result = storedResult(connection, call);
      return result instanceof Unknown ? Optional.empty() : Optional.of(counted(call, result));
    } catch (SQLException e) {
      throw PostgresUnavailable.nothingChanged(e);
    }
  }

  /// What a call does under its token, in the transaction that stores the answer.
  public interface Work {
    Answer run(Transaction transaction);
  }

  private enum Reservation {
    /// The token is ours until the end of the transaction.
    RESERVED,
    /// A committed call has used the token within its window.
    USED,
    /// Another call under this token is still running.
    BUSY
  }

  private static Reservation reserve(Connection connection, IdempotentRouteCall call)
      throws SQLException {
    try (var insert = connection.prepareStatement(RESERVE)) {
      insert.setString(1, call.caller());
      insert.setString(2, call.route().word());
      insert.setBytes(3, hash(call));
      insert.setString(4, call.digest().value());
      insert.setString(5, call.digest().version());
      insert.setString(6, call.subject() == null ? null : call.subject().value());
      insert.setLong(7, call.window().toMillis());
      return insert.executeUpdate() == 1 ? Reservation.RESERVED : Reservation.USED;
    } catch (SQLException e) {
      if (LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
        return Reservation.BUSY;
      }
      throw e;
    }
  }

  private static IdempotentResult runAndCommit(
      Connection connection, IdempotentRouteCall call, Work work) throws SQLException {
    var transaction = new Transaction(connection);
    var answer = transaction.call(() -> work.run(transaction));
    storeAnswer(connection, call, answer);
    return commit(connection) ? new Done(answer) : new Unknown();
  }

  private static IdempotentResult storedResult(Connection connection, IdempotentRouteCall call)
      throws SQLException {
    try (var select = connection.prepareStatement(READ)) {
      select.setString(1, call.caller());
      select.setString(2, call.route().word());
      select.setBytes(3, hash(call));
      try (var rows = select.executeQuery()) {
        if (!rows.next()) {
          return new Unknown(); // its window has ended since `reserve`
        }
        var stored = rows.getString("digest");
        var same = call.digest().as(Digest.version(stored));
        if (same.isEmpty()) {
          return new Unknown(); // a newer release has the result
        }
        return stored.equals(same.get().value())
            ? new Replayed(new Answer(rows.getInt("status"), rows.getBytes("body")))
            : new Collision();
      }
    }
  }

  private static void storeAnswer(Connection connection, IdempotentRouteCall call, Answer answer)
      throws SQLException {
    try (var update = connection.prepareStatement(STORE_ANSWER)) {
      update.setInt(1, answer.status());
      update.setBytes(2, answer.body());
      update.setString(3, call.caller());
      update.setString(4, call.route().word());
      update.setBytes(5, hash(call));
      update.executeUpdate();
    }
  }

  /// Returns false if the outcome is unknown.
  private static boolean commit(Connection connection) {
    try {
      connection.commit();
      return true;
    } catch (SQLException e) {
      LOG.warn("The outcome of COMMIT is unknown; a retry with the same token gets it", e);
      return false;
    }
  }

  private static byte[] hash(IdempotentRouteCall call) {
    return hash(call.pool(), call.token());
  }

  /// Of the token, and of the pool that it is for. Neither contains the separator.
  public static byte[] hash(@Nullable PoolName pool, Token token) {
    return Digest.sha256(pool == null ? token.value() : pool.value() + "\0" + token.value());
  }

  /// Stores the answer in a transaction of the caller. Returns false if another call has used the
  /// token, or is using it; the caller rolls back then.
  public static boolean store(Connection connection, IdempotentRouteCall call, Answer answer)
      throws SQLException {
    if (reserve(connection, call) != Reservation.RESERVED) {
      return false;
    }
    storeAnswer(connection, call, answer);
    return true;
  }

  /// A call whose answer is known before its transaction.
  public record Answered(IdempotentRouteCall call, Answer answer) {}

  /// Returns how many tokens were unused. If these are not all, the caller rolls back.
  public static int insertAnswered(Connection connection, List<Answered> calls)
      throws SQLException {
    try (var run = StatementRun.of(connection, INSERT_ANSWERED)) {
      return run.rows(
              calls,
              columns ->
                  columns
                      .text(each -> each.call.caller())
                      .text(each -> each.call.route().word())
                      .bytes(each -> latin1(hash(each.call)))
                      .text(each -> each.call.digest().value())
                      .text(each -> each.call.digest().version())
                      .text(
                          each -> each.call.subject() == null ? null : each.call.subject().value())
                      .number(each -> each.call.window().toMillis())
                      .number(each -> (long) each.answer.status())
                      .bytes(each -> latin1(each.answer.body())))
          .execute()
          .take(_ -> {});
    }
  }

  private static String latin1(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }
}
