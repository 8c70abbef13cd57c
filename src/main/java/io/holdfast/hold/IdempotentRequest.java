package io.holdfast.hold;

import io.holdfast.idempotency.Digest;
import io.holdfast.idempotency.Token;
import io.holdfast.pool.Pool;

/// Who calls, in which pool, under which token, and what was asked in short.
public record IdempotentRequest(String caller, Pool pool, Token token, Digest digest) {}
