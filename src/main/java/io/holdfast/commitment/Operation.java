package io.holdfast.commitment;

import io.holdfast.idempotency.Token;
import io.holdfast.pool.StoredOutcome;
import io.holdfast.pool.TokenAction;
import java.time.Instant;

/// One call as Postgres has recorded it.
///
/// @param attempts how often it was executed
public record Operation(
    TokenAction action, StoredOutcome outcome, Instant recordedAt, long attempts, Token token) {}
