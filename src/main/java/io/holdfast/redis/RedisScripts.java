package io.holdfast.redis;

import io.holdfast.pool.PoolName;
import io.lettuce.core.RedisException;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;

/// Runs scripts in Redis, each as one atomic step: by hash, and by text if the server does not know
/// the hash, since the script cache belongs to one node and is lost with it. A reply is a list that
/// starts with a word; the header of the script lists the words.
@Singleton
public class RedisScripts {
  private static final long NANOS_A_MICRO = 1_000;

  private final RedisConnections redis;
  private final ConnectionRouter router;

  public RedisScripts(RedisConnections redis) {
    this.redis = redis;
    this.router = redis.router();
  }

  /// Calls a script whose keys are `meta` and `journal` of a pool.
  public CompletionStage<List<String>> call(Script script, PoolName pool, String... others) {
    return call(script, new String[] {pool.key("meta"), pool.key("journal")}, others);
  }

  /// The connection that a call uses if it is made now on this thread.
  EventLoopConnection connectionOf(PoolName pool) {
    return router.of(pool.key("meta"));
  }

  /// Ends with the reply or with `RedisUnavailable`. `ARGV[1]` of every script is the run id of the
  /// server; `others` follow it.
  ///
  /// @param keys of one pool
  public CompletionStage<List<String>> call(Script script, String[] keys, String... others) {
    try {
      var connection = router.of(keys[0]);
      var reply = connection.call(script, keys, arguments(others));
      return router instanceof ClusterConnections
          ? reply.exceptionallyCompose(e -> retryElsewhere(e, connection, script, keys, others))
          : reply;
    } catch (RedisUnavailable e) {
      return CompletableFuture.failedStage(e);
    }
  }

  /// The clock of Redis, which decides how long holds last. For threads that may block.
  public Instant now() {
    try {
      var time = redis.commands().time().get();
      return Instant.ofEpochSecond(
          Long.parseLong(time.get(0)), Long.parseLong(time.get(1)) * NANOS_A_MICRO);
    } catch (RedisException | ExecutionException e) {
      throw RedisUnavailable.because(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw RedisUnavailable.because(e);
    }
  }

  /// Leaves room for the run id, which the connection puts first.
  private static String[] arguments(String[] others) {
    var arguments = new String[others.length + 1];
    System.arraycopy(others, 0, arguments, 1, others.length);
    return arguments;
  }

  /// Sends the call to the right node after a refresh if it was certainly not run: the node
  /// redirected it or was not connected. While a slot moves, neither node accepts the call.
  private CompletionStage<List<String>> retryElsewhere(
      Throwable failure,
      EventLoopConnection connection,
      Script script,
      String[] keys,
      String[] others) {
    var cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (!(cause instanceof RedisUnavailable unavailable)) {
      return CompletableFuture.failedStage(cause);
    }
    var refresh = router.refresh();
    if (!unavailable.isDefinite()) {
      return CompletableFuture.failedStage(cause);
    }
    return refresh.thenCompose(
        _ -> {
          var present = router.of(keys[0]);
          return present == connection
              ? CompletableFuture.failedStage(cause)
              : present.call(script, keys, arguments(others));
        });
  }
}
