package io.holdfast.access;

/// What looking for the holder of a key can come to.
sealed interface Recognition {

  record Known(Caller caller) implements Recognition {}

  /// There is no such key, or it was revoked.
  record Stranger() implements Recognition {}

  /// It is not among the keys known here, and Postgres cannot be asked now.
  record Unsure() implements Recognition {}
}
