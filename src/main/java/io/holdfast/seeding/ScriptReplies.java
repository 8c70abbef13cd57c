package io.holdfast.seeding;

import io.holdfast.redis.RedisUnavailable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/// Waits for the reply of a script, for threads that may block. Every call ends within the command
/// timeout.
public final class ScriptReplies {
  private ScriptReplies() {}

  public static <R> R await(CompletionStage<R> call) {
    try {
      return call.toCompletableFuture().join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RedisUnavailable lost ? lost : e;
    }
  }
}
