package io.holdfast.idempotency;

/// The result of parsing the header `Idempotency-Key`.
public sealed interface TokenParseResult permits Token, MalformedToken {}
