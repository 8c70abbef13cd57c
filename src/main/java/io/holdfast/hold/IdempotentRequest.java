package io.holdfast.hold;

import io.holdfast.idempotency.Digest;
import io.holdfast.idempotency.Token;
import io.holdfast.pool.Pool;
import io.holdfast.pool.TokenAction;

/// One call under a token.
///
/// @param pass of the waiting room, as scripts take it: see `Passes`
public record IdempotentRequest(
    TokenAction action, String caller, Pool pool, Token token, Digest digest, String pass) {

  /// A call that needs no pass.
  public IdempotentRequest(
      TokenAction action, String caller, Pool pool, Token token, Digest digest) {
    this(action, caller, pool, token, digest, "");
  }

  IdempotentRequest with(String pass) {
    return new IdempotentRequest(action, caller, pool, token, digest, pass);
  }
}
