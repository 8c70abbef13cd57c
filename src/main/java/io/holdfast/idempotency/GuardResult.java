package io.holdfast.idempotency;

/// Whether an identity is in its window. The caller decides what follows.
public enum GuardResult {
  SEEN,
  NOT_SEEN
}
