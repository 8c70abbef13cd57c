package io.holdfast.idempotency.guard;

/// When expired identities are removed. Has no effect on the result of a check.
public enum Expiry {
  /// Some with every record.
  EAGER,
  /// When they are recorded again, or by a purge.
  LAZY
}
