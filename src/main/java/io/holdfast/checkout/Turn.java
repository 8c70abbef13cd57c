package io.holdfast.checkout;

import io.holdfast.checkout.StepOutcome.Open;
import io.holdfast.checkout.StepOutcome.Shared;
import java.util.List;

/// What a runner has done for a run in one turn, not stored yet.
record Turn(Saga saga, Run run, List<Ended> steps) {
  Turn {
    steps = List.copyOf(steps);
  }

  /// What one step came to, or its undoing.
  record Ended(int ordinal, StepOutcome outcome) {}

  /// Whether it can be stored beside others. Undoing is rare, and so is what is done for one only.
  boolean isSociable() {
    return run.phase() == Phase.FORWARD
        && steps.stream()
            .map(Ended::outcome)
            .allMatch(o -> !(o instanceof Open(var work, _)) || work instanceof Shared<?>);
  }
}
