package io.holdfast.commitment;

/// A promise was broken in the model; the search says by which steps.
final class InvariantViolation extends RuntimeException {
  private static final long serialVersionUID = 1L;

  InvariantViolation(String what) {
    super(what, null, false, false);
  }
}
