package io.holdfast.checkout.saga;

/// One step of a saga and its undo. A second call with the same id has no second effect, on any
/// instance. The undo tolerates that the step never happened.
public interface Step {
  String name();

  /// The state of a checkout after this step.
  String reached();

  /// A step that cannot be undone must be the last one.
  default boolean canBeUndone() {
    return true;
  }

  /// Whether parts of it can be undone while the rest stays. Each part has a row with an amount.
  default boolean canBeUndoneInParts() {
    return false;
  }

  /// Whether all of it happens in the transaction that stores its result. That transaction can also
  /// store the result of the step before it.
  default boolean isLocal() {
    return false;
  }

  /// Called while no transaction is open.
  StepOutcome act(CheckoutRun run, String callId);

  StepOutcome undo(CheckoutRun run, String undoId);
}
