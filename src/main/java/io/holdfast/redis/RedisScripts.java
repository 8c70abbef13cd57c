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

/// Runs scripts in Redis, each in one atomic step: by hash, and by text once if that server has not
/// seen the script yet, since the script cache belongs to one node and is lost with it. A reply is
/// a list that starts with a word, as the header of the script says.
@Singleton
public class RedisScripts {
  private static final long NANOS_A_MICRO = 1_000;

  private final RedisConnections link;
  private final ConnectionRouter lanes;

  public RedisScripts(RedisConnections link) {
    this.link = link;
    this.lanes = link.lanes();
  }

  /// The same for a script of a pool, whose keys are `meta` and `journal`.
  public CompletionStage<List<String>> call(Script script, PoolName pool, String... others) {
    return call(script, new String[] {pool.key("meta"), pool.key("journal")}, others);
  }

  /// The connection that a call takes which is made now, on this thread.
  EventLoopConnection laneOf(PoolName pool) {
    return lanes.of(pool.key("meta"));
  }

  /// Ends with the reply or with `RedisUnavailable`. The run id of the server at the other end is
  /// put before the arguments, as `ARGV[1]` of every script.
  ///
  /// @param keys of one pool
  public CompletionStage<List<String>> call(Script script, String[] keys, String... others) {
    try {
      var lane = lanes.of(keys[0]);
      var reply = lane.call(script, keys, arguments(others));
      return lanes instanceof ClusterConnections
          ? reply.exceptionallyCompose(e -> onceMore(e, lane, script, keys, others))
          : reply;
    } catch (RedisUnavailable e) {
      return CompletableFuture.failedStage(e);
    }
  }

  /// What time it is in Redis, which decides how long holds last. For threads that may block.
  public Instant now() {
    try {
      var time = link.commands().time().get();
      return Instant.ofEpochSecond(
          Long.parseLong(time.get(0)), Long.parseLong(time.get(1)) * NANOS_A_MICRO);
    } catch (RedisException | ExecutionException e) {
      throw RedisUnavailable.because(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw RedisUnavailable.because(e);
    }
  }

  /// The first of them is the run id, which the lane knows.
  private static String[] arguments(String[] others) {
    var arguments = new String[others.length + 1];
    System.arraycopy(others, 0, arguments, 1, others.length);
    return arguments;
  }

  /// A node that sends us away, or that we are not connected to, has not run the script, so it may
  /// be sent to the right one. While a slot moves from one node to another, neither takes it.
  private CompletionStage<List<String>> onceMore(
      Throwable failure, EventLoopConnection lane, Script script, String[] keys, String[] others) {
    var cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (!(cause instanceof RedisUnavailable unavailable)) {
      return CompletableFuture.failedStage(cause);
    }
    var look = lanes.refresh();
    if (!unavailable.isDefinite()) {
      return CompletableFuture.failedStage(cause);
    }
    return look.thenCompose(
        _ -> {
          var present = lanes.of(keys[0]);
          return present == lane
              ? CompletableFuture.failedStage(cause)
              : present.call(script, keys, arguments(others));
        });
  }
}
