package io.holdfast.checkout.saga;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// How one step of a run stands.
///
/// @param changedAt null as long as nothing came of it
public record StepState(
    String name,
    String callId,
    String undoId,
    State state,
    Undo undo,
    int undoTries,
    String detail,
    @Nullable Instant changedAt) {

  public enum State {
    PLANNED,
    DONE,
    FAILED,
    /// It may have happened, so it is undone as if it had.
    UNKNOWN
  }

  public enum Undo {
    PLANNED,
    IRREVOCABLE,
    RETRY,
    DONE,
    STUCK
  }

  static StepState planned(CheckoutId id, Step step) {
    var callId = id + ":" + step.name();
    return new StepState(
        step.name(),
        callId,
        callId + ":undo",
        State.PLANNED,
        step.canBeUndone() ? Undo.PLANNED : Undo.IRREVOCABLE,
        0,
        "",
        null);
  }

  /// Whether a run that goes back still has to undo it.
  boolean isLeftToUndo() {
    return switch (state) {
      case PLANNED, FAILED -> false;
      case DONE, UNKNOWN -> undo == Undo.PLANNED || undo == Undo.RETRY;
    };
  }

  StepState ended(State how, String why, Instant at) {
    return new StepState(name, callId, undoId, how, undo, undoTries, why, at);
  }

  StepState undone(Undo how, int tries, String why, Instant at) {
    return new StepState(name, callId, undoId, state, how, tries, why, at);
  }
}
