package io.holdfast.checkout.saga;

import io.holdfast.checkout.saga.StepOutcome.Batchable;
import io.holdfast.checkout.saga.StepOutcome.Done;
import io.holdfast.checkout.saga.StepOutcome.InTransaction;
import io.holdfast.faults.Moment;
import io.holdfast.faults.Moment.Way;
import io.holdfast.faults.Moment.When;
import io.holdfast.faults.Trap;
import java.util.Collections;
import java.util.List;

/// Wraps a step and checks a trap at each of its moments.
record WatchedStep(Step step, Trap trap) implements Step {

  @Override
  public String name() {
    return step.name();
  }

  @Override
  public String reached() {
    return step.reached();
  }

  @Override
  public boolean canBeUndone() {
    return step.canBeUndone();
  }

  @Override
  public boolean canBeUndoneInParts() {
    return step.canBeUndoneInParts();
  }

  @Override
  public boolean isLocal() {
    return step.isLocal();
  }

  @Override
  public StepOutcome act(CheckoutRun run, String callId) {
    pass(run, Way.ACT, When.BEFORE);
    var outcome = step.act(run, callId);
    pass(run, Way.ACT, When.CALLED);
    return watched(outcome, run, Way.ACT);
  }

  @Override
  public StepOutcome undo(CheckoutRun run, String undoId) {
    pass(run, Way.UNDO, When.BEFORE);
    var outcome = step.undo(run, undoId);
    pass(run, Way.UNDO, When.CALLED);
    return watched(outcome, run, Way.UNDO);
  }

  private StepOutcome watched(StepOutcome outcome, CheckoutRun run, Way way) {
    return switch (outcome) {
      case InTransaction(Batchable<?> shared, var isYes) ->
          new InTransaction(watched(shared, run, way), isYes);
      case InTransaction(var work, var isYes) ->
          new InTransaction(
              tx -> {
                var end = work.in(tx);
                pass(run, way, When.WRITTEN);
                return watched(end, run, way);
              },
              isYes);
      case Done(var detail, var change, var afterwards) ->
          new Done(
              detail,
              change,
              () -> {
                pass(run, way, When.STORED);
                afterwards.run();
              });
      case StepOutcome other -> other;
    };
  }

  /// Shared as before, so that it goes the way of all others.
  private <P> Batchable<P> watched(Batchable<P> shared, CheckoutRun run, Way way) {
    return new Batchable<>(
        (tx, parts, isAlone) -> {
          var end = shared.batch().in(tx, parts, isAlone).getFirst();
          if (end == null) {
            return Collections.singletonList(null);
          }
          pass(run, way, When.WRITTEN);
          return List.of(watched(end, run, way));
        },
        shared.input());
  }

  private void pass(CheckoutRun run, Way way, When when) {
    trap.pass(run.order().holdId(), new Moment(way, name(), when));
  }
}
