package io.holdfast.checkout.saga;

import static java.util.Objects.requireNonNull;

import io.holdfast.checkout.CheckoutSettings;
import io.holdfast.checkout.saga.CheckoutRun.Failure;
import io.holdfast.checkout.saga.CheckoutRun.Phase;
import io.holdfast.checkout.saga.CheckoutRun.StepState.State;
import io.holdfast.checkout.saga.CheckoutRun.StepState.Undo;
import io.holdfast.checkout.saga.StepOutcome.Done;
import io.holdfast.checkout.saga.StepOutcome.Failed;
import io.holdfast.checkout.saga.StepOutcome.InTransaction;
import io.holdfast.checkout.saga.StepOutcome.Pending;
import io.holdfast.checkout.saga.StepOutcome.Unknown;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Decides what the outcome of a step means for its run: continue, try again or compensate. It
/// makes no calls. Tries are bounded.
public final class RunTransition {
  private final Saga saga;
  private final CheckoutSettings settings;
  private final Instant now;
  private final boolean isUndoing;
  private final List<Entry> entries = new ArrayList<>();
  private final List<Runnable> afterwards = new ArrayList<>();
  private CheckoutRun run;
  private Duration pause = Duration.ZERO;

  RunTransition(Saga saga, CheckoutSettings settings, CheckoutRun run, Instant now) {
    this.saga = saga;
    this.settings = settings;
    this.run = run;
    this.now = now.truncatedTo(ChronoUnit.MILLIS);
    this.isUndoing = run.phase() == Phase.COMPENSATING || run.phase() == Phase.REFUNDING;
  }

  /// A line of the log.
  public record Entry(@Nullable String step, String event, String detail) {}

  public CheckoutRun run() {
    return run;
  }

  /// How long the run waits before its next turn.
  public Duration pause() {
    return pause;
  }

  public List<Entry> entries() {
    return entries;
  }

  List<Runnable> afterwards() {
    return afterwards;
  }

  /// Returns whether the next step of the same turn may be applied.
  boolean apply(int ordinal, StepOutcome outcome) {
    return isUndoing ? applyUndo(ordinal, outcome) : applyAct(ordinal, outcome);
  }

  /// Ends the run if this turn has undone its last step.
  void close() {
    if (isUndoing) {
      endIfUndone();
    }
  }

  private boolean applyAct(int ordinal, StepOutcome outcome) {
    return switch (outcome) {
      case Done done -> {
        keep(done);
        run = run.withStep(ordinal, step -> step.ended(State.DONE, done.detail(), now));
        run = run.moved(run.phase(), ordinal + 1, 0, null);
        log(ordinal, "DONE", done.detail());
        if (run.stepsDone() == saga.steps().size()) {
          end(Phase.DONE);
        }
        yield true;
      }
      case Failed(var code, var why) -> {
        run = run.withStep(ordinal, step -> step.ended(State.FAILED, why, now));
        log(ordinal, "FAILED", why);
        compensate(new Failure(code, why));
        yield false;
      }
      case Unknown(var why, var change) -> {
        run = change.apply(run);
        tryAgain(ordinal, why);
        yield false;
      }
      case Pending pending -> {
        run = pending.change().apply(run);
        afterwards.add(pending.afterwards());
        await(ordinal, pending.why());
        yield false;
      }
      case InTransaction _ ->
          throw new IllegalStateException("a step has no outcome after its transaction");
    };
  }

  private void tryAgain(int ordinal, String why) {
    var tries = run.tries() + 1;
    if (tries < settings.triesMax()) {
      run = run.moved(run.phase(), run.stepsDone(), tries, run.failure());
      pause = settings.pause(tries);
      log(ordinal, "AGAIN", why);
    } else {
      giveUp(ordinal, "no-answer", why);
    }
  }

  private void await(int ordinal, String why) {
    if (now.isBefore(run.createdAt().plus(settings.paymentWait()))) {
      pause = settings.pendingLook();
      if (!run.steps().get(ordinal).detail().equals(why)) {
        run = run.withStep(ordinal, step -> step.ended(State.PLANNED, why, now));
        log(ordinal, "PENDING", why);
      }
    } else {
      giveUp(ordinal, "payment-not-heard-of", why);
    }
  }

  /// The step may have happened, so it is undone like those before it.
  private void giveUp(int ordinal, String code, String why) {
    run = run.withStep(ordinal, step -> step.ended(State.UNKNOWN, why, now));
    log(ordinal, "UNKNOWN", why);
    compensate(new Failure(code, why));
  }

  private void compensate(Failure failure) {
    run = run.moved(Phase.COMPENSATING, run.stepsDone(), 0, failure);
    pause = Duration.ZERO;
    endIfUndone();
  }

  /// An undo that fails does not prevent the others.
  private boolean applyUndo(int ordinal, StepOutcome outcome) {
    switch (outcome) {
      case Done done -> {
        keep(done);
        run =
            run.withStep(
                ordinal, step -> step.undone(Undo.DONE, step.undoTries(), done.detail(), now));
        log(ordinal, "UNDONE", done.detail());
      }
      case Failed(_, var why) -> undoAgain(ordinal, why);
      case Unknown(var why, _) -> undoAgain(ordinal, why);
      case Pending(var why, _, _) -> awaitUndo(ordinal, why);
      case InTransaction _ ->
          throw new IllegalStateException("a step has no outcome after its transaction");
    }
    return true;
  }

  private void undoAgain(int ordinal, String why) {
    var tries = run.steps().get(ordinal).undoTries() + 1;
    undoFailed(ordinal, tries, why, tries >= settings.undoTriesMax());
    pauseAtLeast(settings.pause(tries));
  }

  /// The time limit runs from the first pending result, because a voided run may be old.
  private void awaitUndo(int ordinal, String why) {
    var step = run.steps().get(ordinal);
    if (step.undo() != Undo.RETRY || !step.detail().equals(why)) {
      run = run.withStep(ordinal, it -> it.undone(Undo.RETRY, it.undoTries(), why, now));
      log(ordinal, "PENDING", why);
      pauseAtLeast(settings.pendingLook());
    } else if (now.isBefore(requireNonNull(step.changedAt()).plus(settings.paymentWait()))) {
      pauseAtLeast(settings.pendingLook());
    } else {
      undoFailed(ordinal, step.undoTries(), why, true);
    }
  }

  private void undoFailed(int ordinal, int tries, String why, boolean isStuck) {
    var undo = isStuck ? Undo.STUCK : Undo.RETRY;
    run = run.withStep(ordinal, step -> step.undone(undo, tries, why, now));
    log(ordinal, isStuck ? "STUCK" : "UNDO_FAILED", why);
  }

  /// The longest pause of the steps that are undone together counts.
  private void pauseAtLeast(Duration other) {
    pause = other.compareTo(pause) > 0 ? other : pause;
  }

  private void endIfUndone() {
    if (run.steps().stream().noneMatch(run::isDue)) {
      var isStuck = run.steps().stream().anyMatch(step -> step.undo() == Undo.STUCK);
      var undone = run.phase() == Phase.REFUNDING ? Phase.DONE : Phase.COMPENSATED;
      end(isStuck ? Phase.STUCK : undone);
    }
  }

  private void end(Phase phase) {
    run = run.moved(phase, run.stepsDone(), 0, run.failure());
    pause = Duration.ZERO;
    entries.add(new Entry(null, phase.name(), ""));
  }

  private void keep(Done done) {
    run = done.change().apply(run);
    afterwards.add(done.afterwards());
  }

  private void log(int ordinal, String event, String detail) {
    entries.add(new Entry(run.steps().get(ordinal).name(), event, detail));
  }
}
