package io.holdfast.hold;

import io.holdfast.intent.IntentUnavailable;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/// Waits for the reply of a script, for those who may block: every call ends within the time limit
/// of a command.
final class Replies {
  private Replies() {}

  static List<Object> of(CompletionStage<List<Object>> call) {
    try {
      return call.toCompletableFuture().join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof IntentUnavailable lost ? lost : e;
    }
  }

  /// The reply to a step of seeding.
  static List<Object> ofStep(CompletionStage<List<Object>> call) {
    var reply = of(call);
    if (reply.getFirst().equals("SUPERSEDED")) {
      throw new Reopening.Superseded();
    }
    return reply;
  }
}
