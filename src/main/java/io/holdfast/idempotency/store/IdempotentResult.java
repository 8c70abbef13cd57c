package io.holdfast.idempotency.store;

/// What asking under a token can come to.
public sealed interface IdempotentResult {

  /// An answer as it is stored, and given again byte for byte for the rest of the window.
  record Answer(int status, byte[] body) {}

  /// It was done now, or refused now; the answer is stored.
  record Done(Answer answer) implements IdempotentResult {}

  /// It was done before, under the same token: that was the answer.
  record Replayed(Answer answer) implements IdempotentResult {}

  /// The token belongs to another request of this caller.
  record Collision() implements IdempotentResult {}

  /// Nobody can say yet whether it was done: the end of the transaction was lost, or another
  /// request under this token is still under way. The same token sent again tells.
  record Unknown() implements IdempotentResult {}
}
