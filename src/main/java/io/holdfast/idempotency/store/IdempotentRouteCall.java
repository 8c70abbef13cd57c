package io.holdfast.idempotency.store;

import io.holdfast.idempotency.Digest;
import io.holdfast.idempotency.Token;
import java.time.Duration;
import java.util.Locale;

/// One call of an idempotent route without a pool.
public record IdempotentRouteCall(
    String caller, Route route, Token token, Digest digest, Duration window) {

  /// The idempotent routes without a pool. The table has a check for the same list.
  public enum Route {
    CREATE_POOL,
    CHANGE_POOL,
    CREATE_KEY,
    REVOKE_KEY,
    CREATE_AUTHORIZATION,
    CREATE_CHECKOUT,
    RESUME_CHECKOUT,
    VOID_COMMITMENT,
    CREATE_WEBHOOK,
    DELETE_WEBHOOK,
    REPLAY_WEBHOOK,
    SHRED_SUBJECT,
    CLOSE_AUCTION,
    RETURN_RESERVATION,
    APPEND_STREAM,
    ADMIT_TICKETS,
    REVOKE_PASS;

    /// The name in the table and in the digest.
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
