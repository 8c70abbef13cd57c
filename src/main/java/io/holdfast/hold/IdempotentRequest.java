package io.holdfast.hold;

import io.holdfast.idempotency.Digest;
import io.holdfast.idempotency.Token;
import io.holdfast.pool.Pool;
import io.holdfast.pool.TokenAction;

/// One call under a token.
public record IdempotentRequest(
    TokenAction action, String caller, Pool pool, Token token, Digest digest) {}
