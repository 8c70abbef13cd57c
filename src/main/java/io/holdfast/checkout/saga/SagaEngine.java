package io.holdfast.checkout.saga;

import io.holdfast.checkout.saga.CheckoutRun.StepState;
import io.holdfast.checkout.saga.StepOutcome.Done;
import io.holdfast.checkout.saga.StepOutcome.InTransaction;
import io.holdfast.checkout.saga.StepOutcome.Unknown;
import io.holdfast.checkout.saga.TurnStore.TurnResult;
import io.holdfast.postgres.PostgresUnavailable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs one turn of a run: calls the next step while no transaction is open, then stores its
/// outcome, which only the holder of the run's lease can. An outcome that is lost in between is
/// found out by calling the step again with the same id.
public final class SagaEngine {
  private static final Logger LOG = LoggerFactory.getLogger(SagaEngine.class);

  private final TurnStore store;

  public SagaEngine(TurnStore store) {
    this.store = store;
  }

  /// Returns the run after its turn; empty if another runner has it by now.
  public Optional<RunTransition> turn(Saga saga, CheckoutRun run) {
    var steps =
        switch (run.phase()) {
          case FORWARD -> actForward(saga, run);
          case COMPENSATING, REFUNDING -> undoAll(saga, run);
          case DONE, COMPENSATED, STUCK -> throw new IllegalStateException(run.id() + " has ended");
        };
    var stored = store.store(new TurnResult(saga, run, steps));
    stored.ifPresent(transition -> transition.afterwards().forEach(SagaEngine::runAfterCommit));
    return stored;
  }

  /// Calls the next step, and the local steps that follow it.
  private static List<TurnResult.Ended> actForward(Saga saga, CheckoutRun run) {
    var ended = new ArrayList<TurnResult.Ended>();
    var ordinal = run.stepsDone();
    StepOutcome outcome;
    do {
      outcome = act(saga.step(ordinal), run, run.steps().get(ordinal));
      ended.add(new TurnResult.Ended(ordinal, outcome));
      ordinal++;
    } while (isAccepted(outcome) && ordinal < saga.steps().size() && saga.step(ordinal).isLocal());
    return ended;
  }

  /// No step is called before the one before it is known to be done.
  private static boolean isAccepted(StepOutcome outcome) {
    return outcome instanceof Done
        || outcome instanceof InTransaction(_, var isAccepted) && isAccepted;
  }

  /// Undoes all steps that are due, the last one first.
  private static List<TurnResult.Ended> undoAll(Saga saga, CheckoutRun run) {
    var ended = new ArrayList<TurnResult.Ended>();
    for (var ordinal = run.steps().size() - 1; ordinal >= 0; ordinal--) {
      var step = run.steps().get(ordinal);
      if (run.isDue(step)) {
        ended.add(new TurnResult.Ended(ordinal, undo(saga.step(ordinal), run, step)));
      }
    }
    return ended;
  }

  /// A step that throws may have had an effect, so its outcome is unknown.
  private static StepOutcome act(Step step, CheckoutRun run, StepState row) {
    try {
      return step.act(run, row.callId());
    } catch (PostgresUnavailable e) {
      return new Unknown("Postgres was away");
    } catch (RuntimeException e) {
      LOG.warn("{} of checkout {} failed; it is tried again", step.name(), run.id(), e);
      return new Unknown(String.valueOf(e.getMessage()));
    }
  }

  private static StepOutcome undo(Step step, CheckoutRun run, StepState row) {
    try {
      return step.undo(run, row.undoId());
    } catch (PostgresUnavailable e) {
      return new Unknown("Postgres was away");
    } catch (RuntimeException e) {
      LOG.warn("Undo of {} of checkout {} failed; it is tried again", step.name(), run.id(), e);
      return new Unknown(String.valueOf(e.getMessage()));
    }
  }

  private static void runAfterCommit(Runnable afterwards) {
    try {
      afterwards.run();
    } catch (RuntimeException e) {
      LOG.debug("Redis was not updated after the commit; the outbox relay does it", e);
    }
  }
}
