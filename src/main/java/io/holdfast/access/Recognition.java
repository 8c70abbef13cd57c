package io.holdfast.access;

/// What looking for the holder of a key or of a JWT can come to.
sealed interface Recognition {

  record Known(Caller caller) implements Recognition {}

  /// There is no such key, or it was revoked.
  record Stranger() implements Recognition {}

  /// It is not among the keys known here, and Postgres cannot be asked now.
  record Unsure() implements Recognition {}

  /// A JWT that does not count, and why, in a sentence for its owner.
  record Distrusted(String why) implements Recognition {}

  /// A JWT by a key that is not known here, and the known ones cannot be read anew.
  record Unjudged() implements Recognition {}
}
