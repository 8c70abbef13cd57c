package io.holdfast.idempotency;

/// What reading the header `Idempotency-Key` can come to.
public sealed interface TokenParseResult permits Token, MalformedToken {}
