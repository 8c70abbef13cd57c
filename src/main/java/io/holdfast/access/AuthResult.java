package io.holdfast.access;

/// What looking for the holder of a key or of a JWT can come to.
public sealed interface AuthResult {

  record Known(Caller caller) implements AuthResult {}

  /// There is no such key, or it was revoked.
  record UnknownKey() implements AuthResult {}

  /// It is not among the keys known here, and Postgres cannot be asked now.
  record KeyStoreUnavailable() implements AuthResult {}

  /// A JWT that does not count, and why, in a sentence for its owner.
  record InvalidJwt(String why) implements AuthResult {}

  /// A JWT by a key that is not known here, and the known ones cannot be read anew.
  record JwksUnavailable() implements AuthResult {}
}
