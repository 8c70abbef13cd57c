package io.holdfast.idempotency.store;

/// The result of a call under a token.
public sealed interface IdempotentResult {

  /// A stored answer. It is replayed byte for byte until the end of the window.
  record Answer(int status, byte[] body) {}

  /// The call was executed or refused now, and its answer is stored.
  record Done(Answer answer) implements IdempotentResult {}

  /// An earlier call under this token has stored this answer.
  record Replayed(Answer answer) implements IdempotentResult {}

  /// The token was used for a different request of this caller.
  record Collision() implements IdempotentResult {}

  /// It is not known whether the call was executed: the reply to COMMIT was lost, or another
  /// request under this token is still running. A retry with the same token gets the result.
  record Unknown() implements IdempotentResult {}
}
