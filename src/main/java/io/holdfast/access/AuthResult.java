package io.holdfast.access;

/// The result of authenticating an API key or a JWT.
public sealed interface AuthResult {

  record Known(Caller caller) implements AuthResult {}

  /// There is no such key, or it was revoked.
  record UnknownKey() implements AuthResult {}

  /// The key is not cached, and Postgres cannot be reached.
  record KeyStoreUnavailable() implements AuthResult {}

  /// The JWT is not accepted.
  ///
  /// @param why a sentence for the client
  record InvalidJwt(String why) implements AuthResult {}

  /// The JWT is signed by a key that is not cached, and the key set cannot be read.
  record JwksUnavailable() implements AuthResult {}
}
