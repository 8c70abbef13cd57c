package io.holdfast.idempotency.store;

import io.holdfast.idempotency.Digest;
import io.holdfast.idempotency.store.IdempotentResult.Answer;
import io.holdfast.idempotency.store.IdempotentResult.Collision;
import io.holdfast.idempotency.store.IdempotentResult.Done;
import io.holdfast.idempotency.store.IdempotentResult.Replayed;
import io.holdfast.idempotency.store.IdempotentResult.Unknown;
import io.holdfast.postgres.Columns;
import io.holdfast.postgres.ConnectionPool;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.postgres.Transaction;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Does what routes without a pool ask for, once for each token: the answer is stored in the same
/// transaction as the effect. Equal tokens wait for one another at the row, on whichever instance
/// they arrive, for at most the lock timeout.
@Singleton
public final class IdempotencyStore {
  private static final Logger LOG = LoggerFactory.getLogger(IdempotencyStore.class);

  private static final String LOCK_NOT_AVAILABLE = "55P03";

  /// Takes the row, or waits for who has it. A row whose window has elapsed is taken over.
  private static final String BEGIN =
      """
      INSERT INTO request_result AS r
             (caller, route, token_hash, digest, digest_function, recorded_at, window_end)
      VALUES (?, ?, ?, ?, ?, clock_timestamp(), clock_timestamp() + ? * interval '1 millisecond')
          ON CONFLICT ON CONSTRAINT request_result_key DO UPDATE
             SET digest = EXCLUDED.digest, digest_function = EXCLUDED.digest_function,
                 status = NULL, body = NULL,
                 recorded_at = EXCLUDED.recorded_at, window_end = EXCLUDED.window_end
           WHERE r.window_end <= clock_timestamp()
      """;

  private static final String READ =
      """
      SELECT digest, status, body FROM request_result
       WHERE caller = ? AND route = ? AND token_hash = ?
      """;

  private static final String END =
      """
      UPDATE request_result SET status = ?, body = ?
       WHERE caller = ? AND route = ? AND token_hash = ?
      """;

  /// Takes rows that nobody has, with the answer in them. Whoever finds fewer than it gave rolls
  /// back, and asks one by one.
  public static final String INSERT_ANSWERED =
      """
      INSERT INTO request_result (caller, route, token_hash, digest, digest_function, recorded_at,
                                  window_end, status, body)
      SELECT caller, route, token_hash, digest, digest_function, clock_timestamp(),
             clock_timestamp() + window_ms * interval '1 millisecond', status, body
        FROM unnest(?::text[], ?::text[], ?::bytea[], ?::text[], ?::text[], ?::bigint[],
                    ?::bigint[], ?::bytea[])
          AS given (caller, route, token_hash, digest, digest_function, window_ms, status, body)
       ORDER BY caller, route, token_hash
          ON CONFLICT DO NOTHING
      """;

  private final ConnectionPool link;

  IdempotencyStore(ConnectionPool link) {
    this.link = link;
  }

  /// A call whose answer is known before it is made.
  public record Answered(IdempotentRouteCall call, Answer answer) {}

  /// Returns the number of the first parameter behind its own.
  public static int bind(Columns.Slots slots, List<Answered> calls) throws SQLException {
    return slots
        .of(calls)
        .text(each -> each.call.caller())
        .text(each -> each.call.route().word())
        .bytes(each -> latin(Digest.sha256(each.call.token().value())))
        .text(each -> each.call.digest().value())
        .text(_ -> Digest.FUNCTION)
        .number(each -> each.call.window().toMillis())
        .number(each -> (long) each.answer.status())
        .bytes(each -> latin(each.answer.body()))
        .next();
  }

  private static String latin(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  /// Runs `work` unless the token was seen within its window. What `work` throws ends the
  /// transaction and stores nothing.
  ///
  /// @throws PostgresUnavailable if nothing was committed, for sure
  public IdempotentResult once(IdempotentRouteCall call, Work work) {
    try (var connection = link.connection()) {
      connection.setAutoCommit(false); // the pool rolls back what is not committed at its return
      return decide(connection, call, work);
    } catch (SQLException e) {
      throw PostgresUnavailable.nothingChanged(e);
    }
  }

  private static IdempotentResult decide(Connection connection, IdempotentRouteCall call, Work work)
      throws SQLException {
    var key = Digest.sha256(call.token().value());
    try {
      if (!begin(connection, call, key)) {
        return seen(connection, call, key);
      }
    } catch (SQLException e) {
      if (LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
        return new Unknown();
      }
      throw e;
    }
    var transaction = new Transaction(connection);
    var answer = transaction.call(() -> work.run(transaction));
    end(connection, call, key, answer);
    return isCommitted(connection) ? new Done(answer) : new Unknown();
  }

  private static boolean begin(Connection connection, IdempotentRouteCall call, byte[] key)
      throws SQLException {
    try (var insert = connection.prepareStatement(BEGIN)) {
      insert.setString(1, call.caller());
      insert.setString(2, call.route().word());
      insert.setBytes(3, key);
      insert.setString(4, call.digest().value());
      insert.setString(5, Digest.FUNCTION);
      insert.setLong(6, call.window().toMillis());
      return insert.executeUpdate() == 1;
    }
  }

  private static IdempotentResult seen(Connection connection, IdempotentRouteCall call, byte[] key)
      throws SQLException {
    try (var select = connection.prepareStatement(READ)) {
      select.setString(1, call.caller());
      select.setString(2, call.route().word());
      select.setBytes(3, key);
      try (var rows = select.executeQuery()) {
        if (!rows.next()) {
          return new Unknown(); // its window elapsed and it was tidied up since the look above
        }
        return rows.getString("digest").equals(call.digest().value())
            ? new Replayed(new Answer(rows.getInt("status"), rows.getBytes("body")))
            : new Collision();
      }
    }
  }

  private static void end(
      Connection connection, IdempotentRouteCall call, byte[] key, Answer answer)
      throws SQLException {
    try (var update = connection.prepareStatement(END)) {
      update.setInt(1, answer.status());
      update.setBytes(2, answer.body());
      update.setString(3, call.caller());
      update.setString(4, call.route().word());
      update.setBytes(5, key);
      update.executeUpdate();
    }
  }

  /// A commit whose answer is lost may have happened.
  private static boolean isCommitted(Connection connection) {
    try {
      connection.commit();
      return true;
    } catch (SQLException e) {
      LOG.warn("The end of a transaction is unknown; the same token sent again tells", e);
      return false;
    }
  }

  /// What is done under a token, in the transaction that stores its answer.
  public interface Work {
    Answer run(Transaction transaction);
  }
}
