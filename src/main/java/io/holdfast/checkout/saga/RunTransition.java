package io.holdfast.checkout.saga;

import static java.util.Objects.requireNonNull;

import io.holdfast.checkout.CheckoutSettings;
import io.holdfast.checkout.saga.CheckoutRun.Failure;
import io.holdfast.checkout.saga.StepOutcome.Done;
import io.holdfast.checkout.saga.StepOutcome.Failed;
import io.holdfast.checkout.saga.StepOutcome.InTransaction;
import io.holdfast.checkout.saga.StepOutcome.Pending;
import io.holdfast.checkout.saga.StepOutcome.Unknown;
import io.holdfast.checkout.saga.StepState.State;
import io.holdfast.checkout.saga.StepState.Undo;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What the end of a step makes of a run, from what is known and without asking anybody: on, again,
/// or back. What is tried again is tried so often and no more.
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
    this.isUndoing = run.phase() == RunPhase.COMPENSATING;
  }

  /// A line of the log.
  public record Entry(@Nullable String step, String event, String detail) {}

  public CheckoutRun run() {
    return run;
  }

  /// How long it rests before its next turn.
  public Duration pause() {
    return pause;
  }

  public List<Entry> entries() {
    return entries;
  }

  List<Runnable> afterwards() {
    return afterwards;
  }

  /// Whether the next step of the same turn may be looked at.
  boolean takes(int ordinal, StepOutcome outcome) {
    return isUndoing ? undid(ordinal, outcome) : acted(ordinal, outcome);
  }

  /// Of what a turn has undone, nothing may be left.
  void close() {
    if (isUndoing) {
      endIfUndone();
    }
  }

  private boolean acted(int ordinal, StepOutcome outcome) {
    return switch (outcome) {
      case Done done -> {
        take(done);
        run = run.with(ordinal, step -> step.ended(State.DONE, done.detail(), now));
        run = run.at(run.phase(), ordinal + 1, 0, null);
        note(ordinal, "DONE", done.detail());
        if (run.stepsDone() == saga.steps().size()) {
          end(RunPhase.DONE);
        }
        yield true;
      }
      case Failed(var code, var why) -> {
        run = run.with(ordinal, step -> step.ended(State.FAILED, why, now));
        note(ordinal, "FAILED", why);
        goBack(new Failure(code, why));
        yield false;
      }
      case Unknown(var why, var change) -> {
        run = change.apply(run);
        again(ordinal, why);
        yield false;
      }
      case Pending pending -> {
        run = pending.change().apply(run);
        afterwards.add(pending.afterwards());
        await(ordinal, pending.why());
        yield false;
      }
      case InTransaction _ ->
          throw new IllegalStateException("a step came to no end in its transaction");
    };
  }

  private void again(int ordinal, String why) {
    var tries = run.tries() + 1;
    if (tries < settings.triesMax()) {
      run = run.at(run.phase(), run.stepsDone(), tries, run.failure());
      pause = settings.pause(tries);
      note(ordinal, "AGAIN", why);
    } else {
      giveUp(ordinal, "no-answer", why);
    }
  }

  private void await(int ordinal, String why) {
    if (now.isBefore(run.createdAt().plus(settings.paymentWait()))) {
      pause = settings.pendingLook();
      if (!run.steps().get(ordinal).detail().equals(why)) {
        run = run.with(ordinal, step -> step.ended(State.PLANNED, why, now));
        note(ordinal, "PENDING", why);
      }
    } else {
      giveUp(ordinal, "payment-not-heard-of", why);
    }
  }

  /// It may have happened, so it is undone like those before it.
  private void giveUp(int ordinal, String code, String why) {
    run = run.with(ordinal, step -> step.ended(State.UNKNOWN, why, now));
    note(ordinal, "UNKNOWN", why);
    goBack(new Failure(code, why));
  }

  private void goBack(Failure failure) {
    run = run.at(RunPhase.COMPENSATING, run.stepsDone(), 0, failure);
    pause = Duration.ZERO;
    endIfUndone();
  }

  /// A compensation that fails does not keep the others from being tried.
  private boolean undid(int ordinal, StepOutcome outcome) {
    switch (outcome) {
      case Done done -> {
        take(done);
        run =
            run.with(ordinal, step -> step.undone(Undo.DONE, step.undoTries(), done.detail(), now));
        note(ordinal, "UNDONE", done.detail());
      }
      case Failed(_, var why) -> undoAgain(ordinal, why);
      case Unknown(var why, _) -> undoAgain(ordinal, why);
      case Pending(var why, _, _) -> awaitUndo(ordinal, why);
      case InTransaction _ ->
          throw new IllegalStateException("a step came to no end in its transaction");
    }
    return true;
  }

  private void undoAgain(int ordinal, String why) {
    var tries = run.steps().get(ordinal).undoTries() + 1;
    undoFailed(ordinal, tries, why, tries >= settings.undoTriesMax());
    rest(settings.pause(tries));
  }

  /// Nothing has failed yet. The time runs from when it was told to wait, because a run that was
  /// turned around may have begun long ago.
  private void awaitUndo(int ordinal, String why) {
    var step = run.steps().get(ordinal);
    if (step.undo() != Undo.RETRY || !step.detail().equals(why)) {
      run = run.with(ordinal, it -> it.undone(Undo.RETRY, it.undoTries(), why, now));
      note(ordinal, "PENDING", why);
      rest(settings.pendingLook());
    } else if (now.isBefore(requireNonNull(step.changedAt()).plus(settings.paymentWait()))) {
      rest(settings.pendingLook());
    } else {
      undoFailed(ordinal, step.undoTries(), why, true);
    }
  }

  private void undoFailed(int ordinal, int tries, String why, boolean isStuck) {
    var undo = isStuck ? Undo.STUCK : Undo.RETRY;
    run = run.with(ordinal, step -> step.undone(undo, tries, why, now));
    note(ordinal, isStuck ? "STUCK" : "UNDO_FAILED", why);
  }

  /// As long as the most patient of those that are undone together.
  private void rest(Duration longer) {
    pause = longer.compareTo(pause) > 0 ? longer : pause;
  }

  /// When nothing is left to undo, it is over one way or the other.
  private void endIfUndone() {
    if (run.steps().stream().noneMatch(StepState::isLeftToUndo)) {
      var isStuck = run.steps().stream().anyMatch(step -> step.undo() == Undo.STUCK);
      end(isStuck ? RunPhase.STUCK : RunPhase.COMPENSATED);
    }
  }

  private void end(RunPhase phase) {
    run = run.at(phase, run.stepsDone(), 0, run.failure());
    pause = Duration.ZERO;
    entries.add(new Entry(null, phase.name(), ""));
  }

  private void take(Done done) {
    run = done.change().apply(run);
    afterwards.add(done.afterwards());
  }

  private void note(int ordinal, String event, String detail) {
    entries.add(new Entry(saga.step(ordinal).name(), event, detail));
  }
}
