package io.holdfast.access;

import io.holdfast.idempotency.http.IdempotencyHttp;
import io.holdfast.idempotency.http.OneTimeSecret;
import io.holdfast.idempotency.store.IdempotencyStore;
import io.holdfast.idempotency.store.IdempotentResult;
import io.holdfast.idempotency.store.IdempotentResult.Answer;
import io.holdfast.idempotency.store.IdempotentRouteCall;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.postgres.Transaction;
import io.holdfast.web.InvalidField;
import io.holdfast.web.Problem;
import io.micronaut.http.HttpStatus;
import io.micronaut.serde.annotation.Serdeable;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.inject.Singleton;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Makes and revokes keys, once for each token, and lets the ring know at once.
@Singleton
final class ApiKeyService {
  private static final Logger LOG = LoggerFactory.getLogger(ApiKeyService.class);

  static final OneTimeSecret KEY = new OneTimeSecret("key", "hf_");

  private final IdempotencyStore results;
  private final ApiKeyTable table;
  private final ApiKeyCache ring;
  private final IdempotencyHttp once;
  private final SecureRandom random;

  ApiKeyService(
      IdempotencyStore results,
      ApiKeyTable table,
      ApiKeyCache ring,
      IdempotencyHttp once,
      SecureRandom random) {
    this.results = results;
    this.table = table;
    this.ring = ring;
    this.once = once;
    this.random = random;
  }

  /// The outcome holds a salt in the place of the key, see `OneTimeSecret`.
  IdempotentResult make(IdempotentRouteCall call, Map<String, @Nullable Object> body) {
    var outcome = results.once(call, transaction -> make(transaction, call, body));
    lookAgain();
    return outcome;
  }

  IdempotentResult revoke(IdempotentRouteCall call, String id) {
    var number = number(id);
    var outcome = results.once(call, transaction -> revoke(transaction, id, number));
    ring.forget(number); // even if the end is unknown: a look brings a valid key back
    lookAgain();
    return outcome;
  }

  private Answer make(
      Transaction transaction, IdempotentRouteCall call, Map<String, @Nullable Object> body) {
    try {
      return made(transaction, call, NewApiKey.of(body));
    } catch (InvalidField e) {
      return once.stored(e.problem());
    }
  }

  private Answer made(Transaction transaction, IdempotentRouteCall call, NewApiKey wish) {
    var salt = OneTimeSecret.salt(random);
    var hash = ApiKeyHash.of(KEY.secret(salt, call.token())).bytes();
    var id = table.insert(transaction, hash, wish.caller(), wish.words(), call.caller());
    LOG.info("{} made key {} for {} with {}", call.caller(), id, wish.caller(), wish.words());
    var made = new Made(Long.toString(id), salt, wish.caller(), wish.words());
    return once.stored(HttpStatus.CREATED, made);
  }

  private Answer revoke(Transaction transaction, String id, long number) {
    if (!table.revoke(transaction, number)) {
      var problem = Problem.refused(HttpStatus.NOT_FOUND, "not-known", "There is no such key.");
      return once.stored(problem);
    }
    return once.stored(HttpStatus.OK, new Revoked(id, true));
  }

  private void lookAgain() {
    try {
      ring.refresh();
    } catch (PostgresUnavailable e) {
      LOG.warn("Postgres was lost just after keys were changed; the next look will see it", e);
    }
  }

  /// No key has the number of what is none.
  private static long number(String id) {
    try {
      return Long.parseLong(id);
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  /// The stored outcome has the salt of the key in its place.
  ///
  /// @param key shown only in this response and its replays
  @Serdeable
  @Schema(name = "ApiKeyCreated", description = "A new API key.")
  record Made(String id, String key, String caller, List<String> scopes) {}

  @Serdeable
  @Schema(name = "ApiKeyRevoked")
  record Revoked(String id, boolean revoked) {}
}
