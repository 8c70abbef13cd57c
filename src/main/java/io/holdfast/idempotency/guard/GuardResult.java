package io.holdfast.idempotency.guard;

/// Whether an identity is in its window. The caller decides what follows.
public enum GuardResult {
  SEEN,
  NOT_SEEN
}
