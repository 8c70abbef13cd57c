package io.holdfast.catalogue;

import io.holdfast.pool.PoolKind;
import io.holdfast.pool.PoolPolicy;
import java.sql.ResultSet;
import java.sql.SQLException;

/// A policy in its column. It holds numbers, truths and three capital letters, nothing that JSON
/// would have to escape; Postgres takes it apart again.
final class PolicyJson {

  /// The columns that `read` looks for.
  static final String COLUMNS =
      """
      (policy ->> 'leaseSeconds')::bigint AS lease_seconds,
      (policy ->> 'windowSeconds')::bigint AS window_seconds,
      (policy ->> 'heartbeatSeconds')::bigint AS heartbeat_seconds,
      (policy ->> 'maxItemsPerHold')::integer AS max_items_per_hold,
      (policy ->> 'maxHoldsPerRequester')::integer AS max_holds_per_requester,
      (policy ->> 'idempotencyWindowSeconds')::bigint AS idempotency_window_seconds,
      policy ->> 'currency' AS currency,
      (policy ->> 'requireNonce')::boolean AS require_nonce,
      (policy ->> 'waitingRoom')::boolean AS waiting_room
      """;

  private PolicyJson() {}

  static String write(PoolPolicy policy) {
    return """
    {"leaseSeconds": %d, "windowSeconds": %d, "heartbeatSeconds": %d, "maxItemsPerHold": %d,
     "maxHoldsPerRequester": %d, "idempotencyWindowSeconds": %d, "currency": "%s",
     "requireNonce": %b, "waitingRoom": %b}\
    """
        .formatted(
            policy.lease().toSeconds(),
            policy.window().toSeconds(),
            policy.heartbeat().toSeconds(),
            policy.maxItemsPerHold(),
            policy.maxHoldsPerRequester(),
            policy.idempotencyWindow().toSeconds(),
            policy.currency(),
            policy.requireNonce(),
            policy.waitingRoom());
  }

  /// What the column leaves out is as for a pool that was created without wishes.
  static PoolPolicy read(ResultSet row, PoolKind kind) throws SQLException {
    return PoolPolicy.of(
        kind,
        new PoolPolicy.Overrides(
            row.getObject("lease_seconds", Long.class),
            row.getObject("window_seconds", Long.class),
            row.getObject("heartbeat_seconds", Long.class),
            row.getObject("max_items_per_hold", Integer.class),
            row.getObject("max_holds_per_requester", Integer.class),
            row.getObject("idempotency_window_seconds", Long.class),
            row.getString("currency"),
            row.getObject("require_nonce", Boolean.class),
            row.getObject("waiting_room", Boolean.class)));
  }
}
