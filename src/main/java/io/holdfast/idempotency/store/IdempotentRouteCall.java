package io.holdfast.idempotency.store;

import io.holdfast.idempotency.Digest;
import io.holdfast.idempotency.Token;
import java.time.Duration;
import java.util.Locale;

/// One call of a route without a pool: whose it is, under which token, and what it asks for.
public record IdempotentRouteCall(
    String caller, Route route, Token token, Digest digest, Duration window) {

  /// The routes without a pool that change something; the table knows the same ones.
  public enum Route {
    CREATE_POOL,
    CREATE_KEY,
    REVOKE_KEY,
    CREATE_AUTHORIZATION,
    CREATE_CHECKOUT,
    RESUME_CHECKOUT,
    VOID_COMMITMENT,
    CREATE_WEBHOOK,
    DELETE_WEBHOOK,
    REPLAY_WEBHOOK,
    SHRED_SUBJECT;

    /// As the table and the digest name it.
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
