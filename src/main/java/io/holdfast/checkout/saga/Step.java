package io.holdfast.checkout.saga;

/// One step of a saga, and what undoes it. Both may be called again with the same id, by anybody,
/// and have no second effect then. What undoes a step tolerates that the step never happened.
public interface Step {
  String name();

  /// The state of a checkout that has come this far.
  String reached();

  /// A step that cannot be undone has to be the last one.
  default boolean canBeUndone() {
    return true;
  }

  /// All of it happens in the transaction that stores its end, so the end of the step before it can
  /// be stored in the same one.
  default boolean isLocal() {
    return false;
  }

  /// While no transaction is open.
  StepOutcome act(CheckoutRun run, String callId);

  StepOutcome undo(CheckoutRun run, String undoId);
}
