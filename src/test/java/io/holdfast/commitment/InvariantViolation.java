package io.holdfast.commitment;

/// An invariant is violated in the model; the search reports the steps.
final class InvariantViolation extends RuntimeException {
  private static final long serialVersionUID = 1L;

  InvariantViolation(String what) {
    super(what, null, false, false);
  }
}
