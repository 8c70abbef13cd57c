package io.holdfast.checkout.saga;

import java.util.HashSet;
import java.util.List;

/// The declaration of a saga: its steps in order, each with its undo.
public record Saga(String name, List<Step> steps) {
  static final int STEPS_MAX = 20;

  public Saga {
    steps = List.copyOf(steps);
    refuseUnless(!steps.isEmpty() && steps.size() <= STEPS_MAX, "has 1 to 20 steps");
    var names = new HashSet<String>();
    steps.forEach(step -> names.add(step.name()));
    refuseUnless(names.size() == steps.size(), "has no two steps of one name");
    for (var step : steps.subList(0, steps.size() - 1)) {
      refuseUnless(
          step.canBeUndone(), step.name() + " cannot be undone, so nothing may come after it");
    }
  }

  /// The step of a row of a run. Rows after those of the steps are parts of one step, to be undone.
  Step step(int ordinal) {
    return ordinal < steps.size() ? steps.get(ordinal) : undoneInParts();
  }

  private Step undoneInParts() {
    return steps.stream().filter(Step::canBeUndoneInParts).findFirst().orElseThrow();
  }

  /// The state of a run after that many steps.
  public String reached(int stepsDone) {
    return stepsDone == 0 ? "STARTED" : steps.get(stepsDone - 1).reached();
  }

  private void refuseUnless(boolean holds, String rule) {
    if (!holds) {
      throw new IllegalArgumentException("the saga " + name + " is refused: " + rule);
    }
  }
}
