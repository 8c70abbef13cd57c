package io.holdfast.idempotency;

/// When what is no longer under guard is removed. Neither changes what a check says.
public enum Expiry {
  /// A part of it with every record.
  EAGER,
  /// Not before it is recorded again, or somebody purges.
  LAZY
}
