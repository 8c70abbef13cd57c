package io.holdfast.commitment.authorization;

import io.holdfast.idempotency.Digest;
import io.holdfast.idempotency.http.IdempotencyHttp;
import io.holdfast.idempotency.http.OneTimeSecret;
import io.holdfast.idempotency.store.IdempotencyStore;
import io.holdfast.idempotency.store.IdempotentResult;
import io.holdfast.idempotency.store.IdempotentResult.Answer;
import io.holdfast.idempotency.store.IdempotentRouteCall;
import io.holdfast.pool.HoldId;
import io.holdfast.postgres.ArrayBinder;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.postgres.Transaction;
import io.holdfast.web.InvalidField;
import io.holdfast.web.JsonFields;
import io.holdfast.web.Problem;
import io.micronaut.http.HttpStatus;
import io.micronaut.serde.annotation.Serdeable;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// One-time authorisations for one operation on one hold within a limited time. Only the hash of a
/// nonce is stored. The transaction that uses a nonce also consumes it.
@Singleton
public final class AuthorizationNonces {
  static final OneTimeSecret NONCE = new OneTimeSecret("nonce", "hn_");

  private static final DateTimeFormatter MILLISECONDS =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

  private static final String INSERT =
      """
      INSERT INTO authorization_nonce (pool, nonce_hash, hold_id, operation, not_before, not_after,
                                       created_by)
      SELECT pool, ?, ?, ?, at, at + ? * interval '1 second', ?
        FROM pool, date_trunc('milliseconds', clock_timestamp()) AS at
       WHERE pool = ?
      RETURNING not_before, not_after
      """;

  private static final String LOOK =
      """
      SELECT consumed_at IS NOT NULL AS is_consumed,
             hold_id = ? AND operation = ?
             AND clock_timestamp() >= not_before AND clock_timestamp() < not_after AS is_bound
        FROM authorization_nonce WHERE pool = ? AND nonce_hash = ?
      """;

  private static final String CONSUME =
      """
      UPDATE authorization_nonce n
         SET consumed_at = clock.now, consumed_by = ?
        FROM (SELECT clock_timestamp() AS now) AS clock
       WHERE n.pool = ? AND n.nonce_hash = ? AND n.hold_id = ? AND n.operation = ?
         AND n.consumed_at IS NULL AND clock.now >= n.not_before AND clock.now < n.not_after
      """;

  private final IdempotencyStore results;
  private final IdempotencyHttp once;
  private final SecureRandom random;

  AuthorizationNonces(IdempotencyStore results, IdempotencyHttp once, SecureRandom random) {
    this.results = results;
    this.once = once;
    this.random = random;
  }

  /// The outcome contains a salt instead of the nonce, see `OneTimeSecret`.
  IdempotentResult make(IdempotentRouteCall call, Map<String, @Nullable Object> body) {
    return results.once(
        call,
        transaction -> {
          try {
            return make(transaction, call, JsonFields.of(body));
          } catch (InvalidField e) {
            return once.stored(e.problem());
          }
        });
  }

  private Answer make(Transaction transaction, IdempotentRouteCall call, JsonFields fields) {
    var body = AuthorizationBody.read(fields);
    var hold = HoldId.parse(body.holdId());
    var salt = OneTimeSecret.salt(random);
    return hold.flatMap(
            id ->
                insert(
                    transaction.connection(),
                    new Envelope(id, body.operation(), body.seconds(), call.caller()),
                    hash(NONCE.secret(salt, call.token()))))
        .map(window -> once.stored(HttpStatus.CREATED, Made.of(salt, window)))
        .orElseGet(() -> once.stored(notKnown()));
  }

  /// What a nonce is bound to.
  public record Envelope(HoldId hold, String operation, long seconds, String createdBy) {}

  record Window(Instant notBefore, Instant notAfter) {}

  /// Empty if there is no such pool.
  public static Optional<Window> insert(Connection connection, Envelope envelope, byte[] hash) {
    try (var insert = connection.prepareStatement(INSERT)) {
      insert.setBytes(1, hash);
      insert.setString(2, envelope.hold.toString());
      insert.setString(3, envelope.operation);
      insert.setLong(4, envelope.seconds);
      insert.setString(5, envelope.createdBy);
      insert.setString(6, envelope.hold.pool().value());
      try (var rows = insert.executeQuery()) {
        return rows.next()
            ? Optional.of(
                new Window(
                    ArrayBinder.moment(rows, "not_before"), ArrayBinder.moment(rows, "not_after")))
            : Optional.empty();
      }
    } catch (SQLException e) {
      throw PostgresUnavailable.nothingChanged(e);
    }
  }

  /// What a nonce allows now.
  public enum Use {
    ALLOWED,
    /// There is no such nonce, or it is bound to another hold, operation or time.
    UNBOUND,
    CONSUMED
  }

  public static Use look(Connection connection, HoldId hold, String operation, byte[] hash) {
    try (var select = connection.prepareStatement(LOOK)) {
      select.setString(1, hold.toString());
      select.setString(2, operation);
      select.setString(3, hold.pool().value());
      select.setBytes(4, hash);
      try (var rows = select.executeQuery()) {
        if (!rows.next()) {
          return Use.UNBOUND;
        }
        return rows.getBoolean("is_consumed")
            ? Use.CONSUMED
            : rows.getBoolean("is_bound") ? Use.ALLOWED : Use.UNBOUND;
      }
    } catch (SQLException e) {
      throw PostgresUnavailable.nothingChanged(e);
    }
  }

  /// Consumes a nonce in the transaction of its effect. Returns false if it cannot be used now.
  ///
  /// @param effect names what the nonce is used for
  public static boolean consume(
      Connection connection, HoldId hold, String operation, byte[] hash, String effect) {
    try (var update = connection.prepareStatement(CONSUME)) {
      update.setString(1, effect);
      update.setString(2, hold.pool().value());
      update.setBytes(3, hash);
      update.setString(4, hold.toString());
      update.setString(5, operation);
      return update.executeUpdate() == 1;
    } catch (SQLException e) {
      throw PostgresUnavailable.nothingChanged(e);
    }
  }

  /// The hash as a string of one char a byte, as tokens are.
  @Nullable
  public static String hashText(@Nullable String nonce) {
    return nonce == null ? null : new String(hash(nonce), StandardCharsets.ISO_8859_1);
  }

  public static byte[] hash(String nonce) {
    var bytes = nonce.getBytes(StandardCharsets.UTF_8);
    return Digest.sha256(new String(bytes, StandardCharsets.ISO_8859_1));
  }

  private static Problem notKnown() {
    return Problem.refused(HttpStatus.NOT_FOUND, "not-known", "There is no such hold.");
  }

  /// The stored outcome has the salt instead of the nonce.
  ///
  /// @param nonce shown only in this response and its replays
  @Serdeable
  @Schema(name = "AuthorizationCreated", description = "A new nonce.")
  record Made(String nonce, String notBefore, String notAfter) {
    static Made of(String salt, Window window) {
      return new Made(
          salt, MILLISECONDS.format(window.notBefore), MILLISECONDS.format(window.notAfter));
    }
  }
}
