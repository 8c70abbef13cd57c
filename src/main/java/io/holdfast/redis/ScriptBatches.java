package io.holdfast.redis;

import io.holdfast.pool.PoolName;
import io.holdfast.runtime.BatchMeters;
import io.holdfast.runtime.BatchPolicy;
import io.holdfast.runtime.BatchRoute;
import io.holdfast.runtime.Batcher;
import io.holdfast.runtime.OnDemandTask;
import io.holdfast.runtime.OverloadSignal;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.StartRule;
import io.holdfast.runtime.StartupTask;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Sends the calls of one script and one pool to Redis in batches: one at a time for each event
/// loop, so that calls wait here, where they can be refused, and not in Redis. While Redis does not
/// answer, a circuit breaker refuses them at once.
///
/// The limits fit together: the calls that an instance may have in flight, at 60 µs each, keep
/// Redis busy for an eighth of a second, so that several instances stay below the time limit of a
/// command.
@Singleton
public final class ScriptBatches
    implements StartupTask,
        OverloadSignal,
        BatchRoute<ScriptBatches.Key, ScriptBatches.Call, String> {
  private static final int CALLS_MAX = 64;

  /// About two milliseconds of Redis' time, in which others wait.
  private static final int WEIGHT_MAX = 512;

  /// What an item costs beside a text.
  private static final int ITEM_WEIGHT = 2;

  private static final int IN_FLIGHT_MAX = 2_048;
  private static final Duration TICK = Duration.ofMillis(25);

  private final RedisScripts scripts;
  private final OnDemandTask deadlines;
  private final Batcher<Key, Call, String> batcher;
  private final ServerBreakers breakers = new ServerBreakers();

  /// @param header what the calls of a batch share; it follows from the script and the pool
  record Key(EventLoopConnection lane, Script script, PoolName pool, List<String> header) {}

  record Call(int weight, String[] texts) {}

  ScriptBatches(
      RedisScripts scripts, BatchSettings settings, PeriodicTasks tasks, MeterRegistry meters) {
    this.scripts = scripts;
    var policy =
        new BatchPolicy(
            CALLS_MAX,
            WEIGHT_MAX,
            1,
            IN_FLIGHT_MAX,
            settings.pendingMax(),
            settings.waitMax(),
            StartRule.AT_ONCE);
    this.batcher = new Batcher<>(policy, new BatchMeters("hold", meters), this);
    this.deadlines = new OnDemandTask(tasks, "batch-deadlines", TICK, batcher::tick);
    Gauge.builder("holdfast.gate.open", breakers, all -> all.isAnyOpen() ? 0 : 1)
        .description("Whether calls are let through to all servers of Redis: 1 or 0")
        .register(meters);
  }

  @Override
  public void atStart() {
    deadlines.task().start();
  }

  @Override
  public @Nullable Duration retryAfter(String pool) {
    return batcher.refusal(pool);
  }

  /// Ends with the outcome, with `RedisUnavailable`, or with `Overloaded`.
  ///
  /// @param header texts that all calls of this script and pool share
  /// @param items how many the call writes, by which the time is estimated that it takes
  public CompletionStage<String> call(
      Script script, PoolName pool, List<String> header, int items, String... texts) {
    try {
      var call = new Call(texts.length + ITEM_WEIGHT * items, texts);
      var reply = batcher.add(new Key(scripts.laneOf(pool), script, pool, header), call);
      deadlines.workArrived();
      return reply;
    } catch (RedisUnavailable e) {
      return CompletableFuture.failedStage(e);
    }
  }

  @Override
  public Executor executor(Key key) {
    return key.lane.loop();
  }

  @Override
  public String group(Key key) {
    return key.pool.value();
  }

  @Override
  public int weight(Call call) {
    return call.weight;
  }

  @Override
  public CompletionStage<List<@Nullable String>> send(Key key, List<Call> calls) {
    return breakers
        .unlessOpen(
            key.lane.server(),
            () -> scripts.call(key.script, key.pool, arguments(key.header, calls)))
        .thenApply(replies -> each(replies, calls.size()));
  }

  /// Makes a call that belongs to no batch, unless the server of the pool does not answer.
  public CompletionStage<List<String>> unlessAway(
      PoolName pool, Supplier<CompletionStage<List<String>>> call) {
    try {
      return breakers.unlessOpen(scripts.laneOf(pool).server(), call);
    } catch (RedisUnavailable e) {
      return CompletableFuture.failedStage(e);
    }
  }

  @Override
  public Throwable notSent(Throwable failure) {
    return failure instanceof RedisUnavailable ? RedisUnavailable.notSent(failure) : failure;
  }

  private static String[] arguments(List<String> header, List<Call> calls) {
    var size = header.size();
    for (var call : calls) {
      size += call.texts.length;
    }
    var arguments = new String[size];
    var next = 0;
    for (var text : header) {
      arguments[next++] = text;
    }
    for (var call : calls) {
      System.arraycopy(call.texts, 0, arguments, next, call.texts.length);
      next += call.texts.length;
    }
    return arguments;
  }

  /// That the pool cannot be used is told once for all calls.
  private static List<String> each(List<String> replies, int calls) {
    if (replies.size() == calls) {
      return replies;
    }
    var only = replies.getFirst();
    if (replies.size() != 1 || !only.startsWith("UNSEEDED\t")) {
      throw new IllegalStateException(replies.size() + " replies to " + calls + " calls");
    }
    return Collections.nCopies(calls, only);
  }
}
