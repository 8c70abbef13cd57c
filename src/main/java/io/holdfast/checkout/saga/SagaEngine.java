package io.holdfast.checkout.saga;

import io.holdfast.checkout.saga.StepOutcome.Done;
import io.holdfast.checkout.saga.StepOutcome.InTransaction;
import io.holdfast.checkout.saga.StepOutcome.Unknown;
import io.holdfast.postgres.PostgresUnavailable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Takes a run one turn further: calls what is next, with no transaction open, then stores how it
/// ended, which only the holder of the run's lease can. Whatever is lost in between is called again
/// under the same id.
public final class SagaEngine {
  private static final Logger LOG = LoggerFactory.getLogger(SagaEngine.class);

  private final TurnStore storing;

  public SagaEngine(TurnStore storing) {
    this.storing = storing;
  }

  /// The run after its turn and how long it rests then; empty if somebody else has it by now.
  public Optional<RunTransition> turn(Saga saga, CheckoutRun run) {
    var steps =
        switch (run.phase()) {
          case FORWARD -> acted(saga, run);
          case COMPENSATING -> undone(saga, run);
          case DONE, COMPENSATED, STUCK -> throw new IllegalStateException(run.id() + " is over");
        };
    var stored = storing.store(new TurnResult(saga, run, steps));
    stored.ifPresent(progress -> progress.afterwards().forEach(SagaEngine::tell));
    return stored;
  }

  /// One step that calls somebody, and those behind it that need nobody.
  private static List<TurnResult.Ended> acted(Saga saga, CheckoutRun run) {
    var ended = new ArrayList<TurnResult.Ended>();
    var ordinal = run.stepsDone();
    StepOutcome outcome;
    do {
      outcome = act(saga.step(ordinal), run, run.steps().get(ordinal));
      ended.add(new TurnResult.Ended(ordinal, outcome));
      ordinal++;
    } while (isYes(outcome) && ordinal < saga.steps().size() && saga.step(ordinal).isLocal());
    return ended;
  }

  /// Nothing behind a step is called before that step is known to be done.
  private static boolean isYes(StepOutcome outcome) {
    return outcome instanceof Done || outcome instanceof InTransaction(_, var isYes) && isYes;
  }

  /// All that is left, the last one first.
  private static List<TurnResult.Ended> undone(Saga saga, CheckoutRun run) {
    var ended = new ArrayList<TurnResult.Ended>();
    for (var ordinal = run.steps().size() - 1; ordinal >= 0; ordinal--) {
      var step = run.steps().get(ordinal);
      if (step.isLeftToUndo()) {
        ended.add(new TurnResult.Ended(ordinal, undo(saga.step(ordinal), run, step)));
      }
    }
    return ended;
  }

  /// A step that throws may have done something; nothing here may end the one who runs it.
  private static StepOutcome act(Step step, CheckoutRun run, StepState row) {
    try {
      return step.act(run, row.callId());
    } catch (PostgresUnavailable e) {
      return new Unknown("Postgres was away");
    } catch (RuntimeException e) {
      LOG.warn("{} of checkout {} met an error; it is tried again", step.name(), run.id(), e);
      return new Unknown(String.valueOf(e.getMessage()));
    }
  }

  private static StepOutcome undo(Step step, CheckoutRun run, StepState row) {
    try {
      return step.undo(run, row.undoId());
    } catch (PostgresUnavailable e) {
      return new Unknown("Postgres was away");
    } catch (RuntimeException e) {
      LOG.warn(
          "Undoing {} of checkout {} met an error; it is tried again", step.name(), run.id(), e);
      return new Unknown(String.valueOf(e.getMessage()));
    }
  }

  private static void tell(Runnable afterwards) {
    try {
      afterwards.run();
    } catch (RuntimeException e) {
      LOG.debug("what was decided could not be told; the relay tells it", e);
    }
  }
}
