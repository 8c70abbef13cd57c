package io.holdfast.checkout;

import io.holdfast.checkout.StepOutcome.Crew;
import io.holdfast.checkout.StepOutcome.Done;
import io.holdfast.checkout.StepOutcome.Failed;
import io.holdfast.checkout.StepOutcome.Open;
import io.holdfast.checkout.StepOutcome.Shared;
import io.holdfast.payment.Simulator;
import jakarta.inject.Singleton;
import org.jspecify.annotations.Nullable;

/// Tells the world, which cannot be told otherwise later: the event of the fulfilled checkout is
/// written in the transaction of this step, and whoever makes tickets or sends e-mails hears of it.
@Singleton
final class FulfilStep implements Step {
  private static final Crew<Run> TELL =
      (_, runs, _) -> runs.stream().<@Nullable StepOutcome>map(FulfilStep::told).toList();

  @Override
  public String name() {
    return "fulfil";
  }

  @Override
  public String reached() {
    return "FULFILLED";
  }

  @Override
  public boolean canBeUndone() {
    return false;
  }

  @Override
  public boolean isLocal() {
    return true;
  }

  @Override
  public StepOutcome act(Run run, String callId) {
    return new Open(new Shared<>(TELL, run));
  }

  private static StepOutcome told(Run run) {
    return Simulator.failsFulfilment(run.order().method())
        ? new Failed("fulfilment-failed", "the fulfilment refused the order")
        : new Done("told");
  }

  @Override
  public StepOutcome undo(Run run, String undoId) {
    return new Failed("irrevocable", "what was told cannot be untold");
  }
}
