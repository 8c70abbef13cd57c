package io.holdfast.commitment;

import io.holdfast.idempotency.Token;
import io.holdfast.pool.TokenAction;
import java.time.Instant;

/// What Postgres knows of one call.
///
/// @param outcome a word, a tab, and what belongs to it
/// @param attempts how often it was tried
public record Operation(
    TokenAction action, String outcome, Instant recordedAt, long attempts, Token token) {}
