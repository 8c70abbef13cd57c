package io.holdfast.idempotency.store;

import io.holdfast.idempotency.Digest;
import io.holdfast.idempotency.Token;
import io.holdfast.pool.PoolName;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// One call of an idempotent route whose answers are stored in Postgres.
///
/// @param pool the pool that the token is for; null for a route without a pool
/// @param subject the pool that the call belongs to, whether or not its token does; null if to none
public record IdempotentRouteCall(
    String caller,
    Route route,
    @Nullable PoolName pool,
    @Nullable PoolName subject,
    Token token,
    Digest digest,
    Duration window) {

  public IdempotentRouteCall(
      String caller, Route route, Token token, Digest digest, Duration window) {
    this(caller, route, null, null, token, digest, window);
  }

  /// The same token may be used for another pool.
  public IdempotentRouteCall in(PoolName name) {
    return new IdempotentRouteCall(caller, route, name, name, token, digest, window);
  }

  /// The token is not bound to the pool, but the call is found by it.
  public IdempotentRouteCall about(Optional<PoolName> name) {
    return new IdempotentRouteCall(caller, route, pool, name.orElse(null), token, digest, window);
  }

  public IdempotentRouteCall lasting(Duration length) {
    return new IdempotentRouteCall(caller, route, pool, subject, token, digest, length);
  }

  /// The routes whose answers are stored in Postgres. The table has a check for the same list.
  public enum Route {
    CREATE_POOL,
    CHANGE_POOL,
    ADD_ITEMS,
    BLOCK_ITEMS,
    UNBLOCK_ITEMS,
    CREATE_KEY,
    REVOKE_KEY,
    CREATE_AUTHORIZATION,
    CREATE_CHECKOUT,
    RESUME_CHECKOUT,
    VOID_COMMITMENT,
    COMPENSATE_SALE,
    CREATE_WEBHOOK,
    CHANGE_WEBHOOK,
    PING_WEBHOOK,
    ROTATE_WEBHOOK_SECRET,
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
