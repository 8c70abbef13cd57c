package io.holdfast.redis;

import jakarta.inject.Singleton;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/// Runs scripts: by hash, and by text once if that server has not seen the script yet, since the
/// script cache belongs to one node and is lost with it. A reply is a list that starts with a word.
@Singleton
public final class Scripts {
  private final Lanes lanes;

  public Scripts(RedisLink link) {
    this.lanes = link.lanes();
  }

  /// Ends with the reply or with `RedisUnavailable`, never with anything of Lettuce. The run id of
  /// the server at the other end is put before the arguments, as `ARGV[1]` of every script.
  public CompletionStage<List<Object>> call(Script script, String[] keys, String... others) {
    var arguments = new String[others.length + 1];
    System.arraycopy(others, 0, arguments, 1, others.length);
    try {
      var reply = lanes.of(keys[0]).call(script, keys, arguments);
      return lanes instanceof Lanes.ToCluster
          ? reply.exceptionallyCompose(e -> onceMore(e, script, keys, arguments))
          : reply;
    } catch (RedisUnavailable e) {
      return CompletableFuture.failedStage(e);
    }
  }

  /// A node that sends us away has not run the script, so it may be sent to the right one.
  private CompletionStage<List<Object>> onceMore(
      Throwable failure, Script script, String[] keys, String[] arguments) {
    var cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (cause instanceof RedisUnavailable unavailable && unavailable.hasMoved()) {
      return lanes
          .refresh()
          .thenCompose(_ -> lanes.of(keys[0]).call(script, keys, arguments.clone()));
    }
    return CompletableFuture.failedStage(cause);
  }
}
