package io.holdfast.catalogue;

import io.holdfast.pool.PoolKind;
import io.holdfast.pool.PoolPolicy;
import io.micronaut.serde.annotation.Serdeable;
import org.jspecify.annotations.Nullable;

/// A policy as the JSON of the column `pool.policy`. A missing field has the default of the kind.
@Serdeable
record StoredPolicy(
    @Nullable Long leaseSeconds,
    @Nullable Long windowSeconds,
    @Nullable Long heartbeatSeconds,
    @Nullable Integer maxItemsPerHold,
    @Nullable Integer maxHoldsPerRequester,
    @Nullable Long idempotencyWindowSeconds,
    @Nullable String currency,
    @Nullable Boolean requireNonce,
    @Nullable Boolean waitingRoom) {

  static StoredPolicy of(PoolPolicy policy) {
    return new StoredPolicy(
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

  PoolPolicy toPolicy(PoolKind kind) {
    return PoolPolicy.of(
        kind,
        new PoolPolicy.Overrides(
            leaseSeconds,
            windowSeconds,
            heartbeatSeconds,
            maxItemsPerHold,
            maxHoldsPerRequester,
            idempotencyWindowSeconds,
            currency,
            requireNonce,
            waitingRoom));
  }
}
