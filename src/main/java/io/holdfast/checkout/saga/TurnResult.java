package io.holdfast.checkout.saga;

import io.holdfast.checkout.saga.StepOutcome.Batchable;
import io.holdfast.checkout.saga.StepOutcome.InTransaction;
import java.util.List;

/// What a runner has done for a run in one turn, not stored yet.
record TurnResult(Saga saga, CheckoutRun run, List<Ended> steps) {
  TurnResult {
    steps = List.copyOf(steps);
  }

  /// What one step came to, or its undoing.
  record Ended(int ordinal, StepOutcome outcome) {}

  /// Whether it can be stored beside others. Undoing is rare, and so is what is done for one only.
  boolean isBatchable() {
    return run.phase() == RunPhase.FORWARD
        && steps.stream()
            .map(Ended::outcome)
            .allMatch(
                o -> !(o instanceof InTransaction(var work, _)) || work instanceof Batchable<?>);
  }
}
