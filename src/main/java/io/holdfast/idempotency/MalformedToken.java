package io.holdfast.idempotency;

/// The token is missing or malformed.
///
/// @param sentence what the caller should send instead
public record MalformedToken(String sentence) implements TokenParseResult {}
