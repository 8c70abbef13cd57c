package io.holdfast.access;

import io.holdfast.postgres.KeyTable;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.postgres.RequestCall;
import io.holdfast.postgres.RequestOutcome;
import io.holdfast.postgres.RequestOutcome.Answer;
import io.holdfast.postgres.RequestResults;
import io.holdfast.postgres.Transaction;
import io.holdfast.web.InvalidField;
import io.holdfast.web.OncePerToken;
import io.holdfast.web.Problem;
import io.holdfast.web.ShownOnce;
import io.micronaut.http.HttpStatus;
import io.micronaut.serde.annotation.Serdeable;
import jakarta.inject.Singleton;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Makes and revokes keys, once for each token, and lets the ring know at once.
@Singleton
final class KeyDesk {
  private static final Logger LOG = LoggerFactory.getLogger(KeyDesk.class);

  static final ShownOnce KEY = new ShownOnce("key", "hf_");

  private final RequestResults results;
  private final KeyTable table;
  private final KeyRing ring;
  private final OncePerToken once;
  private final SecureRandom random;

  KeyDesk(
      RequestResults results,
      KeyTable table,
      KeyRing ring,
      OncePerToken once,
      SecureRandom random) {
    this.results = results;
    this.table = table;
    this.ring = ring;
    this.once = once;
    this.random = random;
  }

  /// The outcome holds a salt in the place of the key, see `ShownOnce`.
  RequestOutcome make(RequestCall call, Map<String, @Nullable Object> body) {
    var outcome = results.once(call, transaction -> make(transaction, call, body));
    lookAgain();
    return outcome;
  }

  RequestOutcome revoke(RequestCall call, String id) {
    var number = number(id);
    var outcome = results.once(call, transaction -> revoke(transaction, id, number));
    ring.forget(number); // even if the end is unknown: a look brings a valid key back
    lookAgain();
    return outcome;
  }

  private Answer make(
      Transaction transaction, RequestCall call, Map<String, @Nullable Object> body) {
    try {
      return made(transaction, call, NewKey.of(body));
    } catch (InvalidField e) {
      return once.stored(e.problem());
    }
  }

  private Answer made(Transaction transaction, RequestCall call, NewKey wish) {
    var salt = ShownOnce.salt(random);
    var hash = KeyHash.of(KEY.secret(salt, call.token())).bytes();
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

  /// @param key shown once to whoever made it; what is stored has its salt here
  @Serdeable
  record Made(String id, String key, String caller, List<String> scopes) {}

  @Serdeable
  record Revoked(String id, boolean revoked) {}
}
