package io.holdfast.commitment;

import io.holdfast.idempotency.Digest;
import io.holdfast.idempotency.Token;
import io.holdfast.pool.EndReason;
import io.holdfast.pool.Epoch;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.HoldState;
import io.holdfast.pool.Pool;
import io.holdfast.pool.TokenAction;
import org.jspecify.annotations.Nullable;

/// A request to release or to expire a pinned hold, which Redis must not end.
///
/// @param action RELEASE or EXPIRE
/// @param pinned the hold in Redis, with the number of its current pin
/// @param epoch in which Redis returned the pin
/// @param end RELEASED or EXPIRED, the latter with a reason
public record EndHoldRequest(
    TokenAction action,
    Pool pool,
    String caller,
    Token token,
    Digest digest,
    HoldRecord pinned,
    HoldState end,
    @Nullable EndReason reason,
    Epoch epoch) {}
