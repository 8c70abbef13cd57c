package io.holdfast.idempotency;

/// There is no token, or none that could be told from others byte by byte.
///
/// @param sentence tells the caller what to send instead
public record MalformedToken(String sentence) implements TokenParseResult {}
