package io.holdfast.catalogue;

import io.holdfast.pool.PoolKind;
import io.holdfast.pool.PoolPolicy;
import io.holdfast.pool.WaitingRoom;
import io.micronaut.serde.annotation.Serdeable;
import java.time.Instant;
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
    @Nullable Boolean waitingRoom,
    @Nullable Integer admissionsPerMinute,
    @Nullable Integer maxInside,
    @Nullable Long graceSeconds,
    @Nullable Long passSeconds,
    @Nullable String order,
    @Nullable String opensAt,
    @Nullable String compensate,
    @Nullable Long commitWindowSeconds,
    @Nullable Integer maxItemsPerRequester,
    @Nullable Long refundFeeCents,
    @Nullable Long refundWithinSeconds) {

  static StoredPolicy of(PoolPolicy policy) {
    var room = policy.waitingRoom();
    var within = policy.reversal().refundWithin();
    return new StoredPolicy(
        policy.lease().toSeconds(),
        policy.window().toSeconds(),
        policy.heartbeat().toSeconds(),
        policy.maxItemsPerHold(),
        policy.maxHoldsPerRequester(),
        policy.idempotencyWindow().toSeconds(),
        policy.currency(),
        policy.requireNonce(),
        room != null,
        room == null ? null : room.admissionsPerMinute(),
        room == null ? null : room.maxInside(),
        room == null ? null : room.grace().toSeconds(),
        room == null ? null : room.pass().toSeconds(),
        room == null ? null : room.order().name(),
        room == null || room.opensAt() == null ? null : room.opensAt().toString(),
        policy.reversal().compensate().name(),
        policy.commitWindow().toSeconds(),
        policy.maxItemsPerRequester(),
        policy.reversal().refundFeeCents(),
        within == null ? null : within.toSeconds());
  }

  PoolPolicy toPolicy(PoolKind kind) {
    return PoolPolicy.of(kind, overrides());
  }

  PoolPolicy.Overrides overrides() {
    return new PoolPolicy.Overrides(
        leaseSeconds,
        windowSeconds,
        heartbeatSeconds,
        maxItemsPerHold,
        maxHoldsPerRequester,
        idempotencyWindowSeconds,
        currency,
        requireNonce,
        waitingRoom,
        new WaitingRoom.Fields(
            admissionsPerMinute,
            maxInside,
            graceSeconds,
            passSeconds,
            order,
            opensAt == null ? null : Instant.parse(opensAt)),
        new PoolPolicy.ReversalTerms.Fields(compensate, refundFeeCents, refundWithinSeconds),
        commitWindowSeconds,
        maxItemsPerRequester);
  }
}
