package io.holdfast.hold;

/// An outcome, and whether it was decided by this call or by an earlier one under the same token.
public record TokenOutcome(HoldOutcome outcome, boolean isReplay) {

  public static TokenOutcome fresh(HoldOutcome outcome) {
    return new TokenOutcome(outcome, false);
  }
}
