package io.holdfast.idempotency;

/// What a guard says of an identity. What to do about it is for whoever asked.
public enum GuardResult {
  SEEN,
  NOT_SEEN
}
