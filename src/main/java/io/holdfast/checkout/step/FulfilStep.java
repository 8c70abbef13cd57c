package io.holdfast.checkout.step;

import io.holdfast.checkout.saga.CheckoutRun;
import io.holdfast.checkout.saga.Step;
import io.holdfast.checkout.saga.StepOutcome;
import io.holdfast.checkout.saga.StepOutcome.BatchWork;
import io.holdfast.checkout.saga.StepOutcome.Batchable;
import io.holdfast.checkout.saga.StepOutcome.Done;
import io.holdfast.checkout.saga.StepOutcome.Failed;
import io.holdfast.checkout.saga.StepOutcome.InTransaction;
import io.holdfast.payment.GatewayRegistry;
import jakarta.inject.Singleton;
import org.jspecify.annotations.Nullable;

/// Publishes the fulfilled checkout: its event is written in the transaction of this step, for the
/// subscribers that make tickets or send e-mails. An event cannot be taken back.
@Singleton
public final class FulfilStep implements Step {
  private final GatewayRegistry gateways;
  private final BatchWork<CheckoutRun> fulfilBatch =
      (_, runs, _) -> runs.stream().<@Nullable StepOutcome>map(this::fulfil).toList();

  FulfilStep(GatewayRegistry gateways) {
    this.gateways = gateways;
  }

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
    return new InTransaction(new Batchable<>(fulfilBatch, run));
  }

  private StepOutcome fulfil(CheckoutRun run) {
    var isRefused =
        gateways
            .find(run.order().provider())
            .filter(gateway -> gateway.failsFulfilment(run.order().method()))
            .isPresent();
    return isRefused
        ? new Failed("fulfilment-failed", "the fulfilment refused the order")
        : new Done("published");
  }

  @Override
  public StepOutcome undo(CheckoutRun run, String undoId) {
    return new Failed("irrevocable", "an event cannot be taken back");
  }
}
