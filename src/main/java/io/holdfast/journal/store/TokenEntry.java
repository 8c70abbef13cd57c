package io.holdfast.journal.store;

import io.holdfast.pool.TokenAction;
import java.time.Instant;

/// What one token was spent on and what came of it.
///
/// @param caller whose token it is
/// @param token one char a byte
/// @param digest of the parameters, the function's name in front: `1:…`
/// @param outcome word and details, divided by tabs
/// @param recordedAt by Redis' clock, as is `windowUntil`
public record TokenEntry(
    String caller,
    String token,
    TokenAction action,
    String digest,
    String outcome,
    Instant recordedAt,
    Instant windowUntil) {}
