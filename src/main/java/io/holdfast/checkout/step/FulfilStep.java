package io.holdfast.checkout.step;

import io.holdfast.checkout.saga.CheckoutRun;
import io.holdfast.checkout.saga.Step;
import io.holdfast.checkout.saga.StepOutcome;
import io.holdfast.checkout.saga.StepOutcome.BatchWork;
import io.holdfast.checkout.saga.StepOutcome.Batchable;
import io.holdfast.checkout.saga.StepOutcome.Done;
import io.holdfast.checkout.saga.StepOutcome.Failed;
import io.holdfast.checkout.saga.StepOutcome.InTransaction;
import io.holdfast.payment.simulator.Simulator;
import jakarta.inject.Singleton;
import org.jspecify.annotations.Nullable;

/// Tells the world, which cannot be told otherwise later: the event of the fulfilled checkout is
/// written in the transaction of this step, and whoever makes tickets or sends e-mails hears of it.
@Singleton
public final class FulfilStep implements Step {
  private static final BatchWork<CheckoutRun> TELL =
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
  public StepOutcome act(CheckoutRun run, String callId) {
    return new InTransaction(new Batchable<>(TELL, run));
  }

  private static StepOutcome told(CheckoutRun run) {
    return Simulator.failsFulfilment(run.order().method())
        ? new Failed("fulfilment-failed", "the fulfilment refused the order")
        : new Done("told");
  }

  @Override
  public StepOutcome undo(CheckoutRun run, String undoId) {
    return new Failed("irrevocable", "what was told cannot be untold");
  }
}
