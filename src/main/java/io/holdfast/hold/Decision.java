package io.holdfast.hold;

/// An outcome, and whether it was decided by this call or by an earlier one under the same token.
record Decision(HoldOutcome outcome, boolean isReplay) {

  static Decision fresh(HoldOutcome outcome) {
    return new Decision(outcome, false);
  }
}
