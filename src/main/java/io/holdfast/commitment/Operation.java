package io.holdfast.commitment;

import io.holdfast.idempotency.EntryVersion;
import io.holdfast.idempotency.Token;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.StoredOutcome;
import io.holdfast.pool.TokenAction;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// One call as Postgres has recorded it.
///
/// @param version in which its answer is rendered
/// @param attempts how often it was sent: its executions and its replays
/// @param hold that a confirm was about; null of other calls
public record Operation(
    TokenAction action,
    EntryVersion version,
    StoredOutcome outcome,
    Instant recordedAt,
    long attempts,
    Token token,
    @Nullable HoldId hold) {}
