package io.holdfast.redis;

import io.holdfast.intent.IntentMode;
import io.holdfast.intent.Life;
import io.holdfast.intent.Script;
import io.holdfast.intent.Scripts;
import io.lettuce.core.RedisException;
import io.micronaut.context.annotation.Requires;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;

/// Runs scripts in Redis: by hash, and by text once if that server has not seen the script yet,
/// since the script cache belongs to one node and is lost with it.
@Singleton
@Requires(property = IntentMode.SETTING, notEquals = IntentMode.WITHOUT_REDIS)
public final class RedisScripts implements Scripts {
  private static final long NANOS_A_MICRO = 1_000;

  private final RedisLink link;
  private final Lanes lanes;
  private final Life life;

  public RedisScripts(RedisLink link, Life life) {
    this.link = link;
    this.lanes = link.lanes();
    this.life = life;
  }

  /// Never ends with anything of Lettuce. The run id of the server at the other end names the life.
  @Override
  public CompletionStage<List<Object>> call(Script script, String[] keys, String... others) {
    try {
      var lane = lanes.of(keys[0]);
      var reply = lane.call(script, keys, arguments(others));
      return lanes instanceof ClusterLanes
          ? reply.exceptionallyCompose(e -> onceMore(e, lane, script, keys, others))
          : reply;
    } catch (RedisUnavailable e) {
      return CompletableFuture.failedStage(e);
    }
  }

  @Override
  public boolean isSerial() {
    return true;
  }

  @Override
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

  /// The first of them is what goes behind the run id, which the lane knows.
  private String[] arguments(String[] others) {
    var arguments = new String[others.length + 1];
    arguments[0] = life.mark();
    System.arraycopy(others, 0, arguments, 1, others.length);
    return arguments;
  }

  /// A node that sends us away, or that we are not connected to, has not run the script, so it may
  /// be sent to the right one. While a slot moves from one node to another, neither takes it.
  private CompletionStage<List<Object>> onceMore(
      Throwable failure, Lane lane, Script script, String[] keys, String[] others) {
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
