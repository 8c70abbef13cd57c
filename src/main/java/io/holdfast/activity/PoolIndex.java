package io.holdfast.activity;

import io.holdfast.pool.PoolName;
import io.holdfast.redis.RedisScripts;
import io.holdfast.redis.RedisUnavailable;
import io.holdfast.redis.Script;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/// The index in Redis of pools that have work: when their first hold is due, and whether their
/// journals may have lines. Its keys have their own hash tag, so it is never written in the same
/// step as a pool. It may contain pools without work, and `IndexRebuilder` finds those that are
/// missing. It calls the scripts of `redis-scripts/index/`. All methods but `settleLater` wait for
/// the reply and fail with `RedisUnavailable`.
@Singleton
public final class PoolIndex {
  private static final Script NOTE = Script.named("index/note");
  private static final Script TAKE = Script.named("index/take");
  private static final Script SETTLE = Script.named("index/settle");
  private static final Script DRAINS = Script.named("index/drains");
  private static final Script REBUILT = Script.named("index/rebuilt");

  private static final String SWEEP = "{holdfast}:sweep";
  private static final String DRAIN = "{holdfast}:drain";
  private static final String SERVER = "{holdfast}:server";

  private final RedisScripts scripts;

  public PoolIndex(RedisScripts scripts) {
    this.scripts = scripts;
  }

  /// A change of a pool.
  ///
  /// @param dueMs when a hold of it is due, by Redis' clock, if that is known
  /// @param isWritten whether its journal may have lines
  record Note(PoolName pool, @Nullable Long dueMs, boolean isWritten) {}

  /// Pools that this instance sweeps.
  ///
  /// @param lostOn the run id of the server, if the index is lost or was written on another server
  /// @param untilNext until another pool is due, or empty if there is none
  /// @param sweeps pools in the index that have live holds
  /// @param drains pools in the index whose journals may have lines
  /// @param lease identifies this call when the pools are settled
  public record Taken(
      Optional<String> lostOn,
      Optional<Duration> untilNext,
      long sweeps,
      long drains,
      String lease,
      List<PoolName> pools) {}

  /// Takes due pools. No other instance gets them until they are settled or the lease is over.
  public Taken take(int count, Duration lease) {
    var keys = new String[] {SWEEP, DRAIN, SERVER};
    var reply =
        await(scripts.call(TAKE, keys, Integer.toString(count), Long.toString(lease.toMillis())));
    var runId = reply.get(1);
    var waitMs = reply.get(2);
    return new Taken(
        runId.isEmpty() ? Optional.empty() : Optional.of(runId),
        waitMs.isEmpty() ? Optional.empty() : Optional.of(Duration.ofMillis(number(reply, 2))),
        number(reply, 3),
        number(reply, 4),
        reply.get(5),
        reply.stream().skip(6).map(PoolName::new).toList());
  }

  /// Returns pools to the index.
  ///
  /// @param next when each is due next: in milliseconds of Redis' clock, or nothing if no hold is
  ///   left
  public void settle(String lease, Map<PoolName, String> next) {
    if (!next.isEmpty()) {
      await(scripts.call(SETTLE, new String[] {SWEEP}, settlement(lease, next)));
    }
  }

  /// Returns one pool without waiting for the reply. If the call is lost, the lease ends by itself.
  public void settleLater(String lease, PoolName pool, Optional<Duration> pause) {
    var next = pause.map(length -> "+" + length.toMillis()).orElse("");
    scripts.call(SETTLE, new String[] {SWEEP}, settlement(lease, Map.of(pool, next)));
  }

  /// Returns the pools that were noted as written after `after`, with their scores, in that order.
  ///
  /// @param emptied pools to be removed, with the scores that were read before their journals
  public Map<PoolName, Long> drains(long after, int count, Map<PoolName, Long> emptied) {
    var arguments = new ArrayList<>(List.of(Long.toString(after), Integer.toString(count)));
    emptied.forEach(
        (pool, score) -> {
          arguments.add(pool.value());
          arguments.add(Long.toString(score));
        });
    var reply = await(scripts.call(DRAINS, new String[] {DRAIN}, arguments.toArray(String[]::new)));
    var pools = new LinkedHashMap<PoolName, Long>();
    for (var i = 1; i < reply.size(); i += 2) {
      pools.put(new PoolName(reply.get(i)), number(reply, i + 1));
    }
    return pools;
  }

  /// Marks the index as complete on the server with this run id.
  public void markRebuilt(String runId) {
    await(scripts.call(REBUILT, new String[] {SERVER}, runId));
  }

  void note(List<Note> notes) {
    var arguments = new String[3 * notes.size()];
    for (var i = 0; i < notes.size(); i++) {
      var note = notes.get(i);
      arguments[3 * i] = note.pool.value();
      arguments[3 * i + 1] = note.dueMs == null ? "" : note.dueMs.toString();
      arguments[3 * i + 2] = note.isWritten ? "1" : "";
    }
    await(scripts.call(NOTE, new String[] {SWEEP, DRAIN}, arguments));
  }

  private static String[] settlement(String lease, Map<PoolName, String> next) {
    var arguments = new ArrayList<String>(1 + 2 * next.size());
    arguments.add(lease);
    next.forEach(
        (pool, due) -> {
          arguments.add(pool.value());
          arguments.add(due);
        });
    return arguments.toArray(String[]::new);
  }

  private static long number(List<String> reply, int index) {
    return Long.parseLong(reply.get(index));
  }

  private static List<String> await(CompletionStage<List<String>> call) {
    try {
      return call.toCompletableFuture().join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RedisUnavailable unavailable ? unavailable : e;
    }
  }
}
