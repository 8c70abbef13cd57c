package io.holdfast.commitment;

import io.holdfast.idempotency.Token;
import io.holdfast.pool.Action;
import java.time.Instant;

/// What Postgres knows of one call.
///
/// @param outcome a word, a tab, and what belongs to it
/// @param attempts how often it was tried
public record Operation(
    Action action, String outcome, Instant recordedAt, long attempts, Token token) {}
