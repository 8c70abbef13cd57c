package io.holdfast.hold;

import io.holdfast.idempotency.Digest;
import io.holdfast.idempotency.EntryVersion;
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

  /// The same call for an entry of that version.
  IdempotentRequest as(EntryVersion version) {
    return new IdempotentRequest(action, caller, pool, token, digest.as(version), pass);
  }

  /// In which the answer is rendered.
  public EntryVersion version() {
    return EntryVersion.of(digest.version()).orElseThrow();
  }

  /// The same call to the pool after a change.
  public IdempotentRequest to(Pool changed) {
    return new IdempotentRequest(action, caller, changed, token, digest, pass);
  }

  IdempotentRequest with(String pass) {
    return new IdempotentRequest(action, caller, pool, token, digest, pass);
  }
}
