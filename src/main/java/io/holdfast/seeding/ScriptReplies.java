package io.holdfast.seeding;

import io.holdfast.redis.RedisUnavailable;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/// Waits for the reply of a script, for threads that may block. Every call ends within the command
/// timeout.
public final class ScriptReplies {
  private ScriptReplies() {}

  public static <R> R of(CompletionStage<R> call) {
    try {
      return call.toCompletableFuture().join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RedisUnavailable lost ? lost : e;
    }
  }

  /// Returns the fields of a reply with one text.
  static String[] fields(CompletionStage<List<String>> call) {
    return of(call).getFirst().split("\t", -1);
  }

  /// Returns the fields of the reply to a seeding step.
  static String[] ofStep(CompletionStage<List<String>> call) {
    var fields = fields(call);
    if (fields[0].equals("SUPERSEDED")) {
      throw new EpochOpener.Superseded();
    }
    return fields;
  }
}
