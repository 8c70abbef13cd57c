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

/// A request to release or to expire a hold that is pinned, so that Redis must not end it.
///
/// @param action RELEASE or EXPIRE
/// @param pinned as Redis has it, with the number of the present pin
/// @param epoch the life of Redis' memory in which it was seen so
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
