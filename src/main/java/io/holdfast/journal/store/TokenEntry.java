package io.holdfast.journal.store;

import io.holdfast.pool.TokenAction;
import java.time.Instant;

/// The stored outcome of one token.
///
/// @param caller the owner of the token
/// @param token one char a byte
/// @param digest of the parameters, prefixed by the name of the function: `1:…`
/// @param outcome a word and its details, separated by tabs
/// @param recordedAt by Redis' clock, as is `windowUntil`
public record TokenEntry(
    String caller,
    String token,
    TokenAction action,
    String digest,
    String outcome,
    Instant recordedAt,
    Instant windowUntil) {}
