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

/// Sends the calls of one script and one pool to Redis in batches, one batch at a time for each
/// event loop. So calls wait here, where they can be refused, and not in Redis. A circuit breaker
/// refuses them at once while Redis does not reply.
///
/// The limits fit together: the calls that one instance may have in flight, at 60 µs each, keep
/// Redis busy for an eighth of a second, so several instances stay below the command timeout.
@Singleton
public final class ScriptBatches
    implements StartupTask,
        OverloadSignal,
        BatchRoute<ScriptBatches.Key, ScriptBatches.Call, String> {
  private static final int CALLS_MAX = 64;

  /// About two milliseconds of Redis' time, during which all other calls wait.
  private static final int WEIGHT_MAX = 512;

  /// The weight of an item; a text has 1.
  private static final int ITEM_WEIGHT = 2;

  private static final int IN_FLIGHT_MAX = 2_048;
  private static final Duration TICK = Duration.ofMillis(25);

  private final RedisScripts scripts;
  private final OnDemandTask deadlines;
  private final Batcher<Key, Call, String> batcher;
  private final ServerBreakers breakers = new ServerBreakers();

  /// @param header the arguments that all calls of this script and pool share
  record Key(EventLoopConnection connection, Script script, PoolName pool, List<String> header) {}

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
  /// @param items the number of items that the call writes, for its estimated time
  public CompletionStage<String> call(
      Script script, PoolName pool, List<String> header, int items, String... texts) {
    try {
      var call = new Call(texts.length + ITEM_WEIGHT * items, texts);
      var reply = batcher.add(new Key(scripts.connectionOf(pool), script, pool, header), call);
      deadlines.workArrived();
      return reply;
    } catch (RedisUnavailable e) {
      return CompletableFuture.failedStage(e);
    }
  }

  @Override
  public Executor executor(Key key) {
    return key.connection.loop();
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
            key.connection.server(),
            () -> scripts.call(key.script, key.pool, arguments(key.header, calls)))
        .thenApply(replies -> replyOfEach(replies, calls.size()));
  }

  /// Makes a call outside of batches, unless the breaker of the pool's server is open.
  public <R> CompletionStage<R> unlessAway(PoolName pool, Supplier<CompletionStage<R>> call) {
    try {
      return breakers.unlessOpen(scripts.connectionOf(pool).server(), call);
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

  /// A pool that is not seeded gives one reply for all calls.
  private static List<String> replyOfEach(List<String> replies, int calls) {
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
