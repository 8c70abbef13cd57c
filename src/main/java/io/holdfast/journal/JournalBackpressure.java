package io.holdfast.journal;

import io.holdfast.pool.PoolName;
import io.holdfast.redis.RedisScripts;
import io.holdfast.redis.Script;
import io.holdfast.runtime.OnDemandTask;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.StartupTask;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Slows down and refuses requests when too many journal lines wait in Redis for Postgres. The
/// statistics of the pools that this instance uses are read from Redis once a second; requests use
/// the last values. Unused pools with lines or holds are read less often, for the metrics.
@Singleton
public final class JournalBackpressure implements StartupTask {
  private static final Script STATS = Script.named("pool/vitals");
  private static final Duration PERIOD = Duration.ofSeconds(1);
  private static final Duration DELAY_MAX = Duration.ofMillis(250);
  private static final int IDLE_PERIODS_MAX = 600;

  /// If there are more, each period reads a part of them.
  private static final int USED_POOLS_A_PERIOD = 500;

  private static final int UNUSED_POOLS_A_PERIOD = 20;

  private final RedisScripts scripts;
  private final OnDemandTask task;
  private final BackpressureMeters meters;
  private final int linesMax;
  private final Map<PoolName, Watched> pools = new ConcurrentHashMap<>();
  private int period;

  JournalBackpressure(
      RedisScripts scripts,
      PeriodicTasks tasks,
      BackpressureMeters meters,
      JournalSettings settings) {
    this.scripts = scripts;
    this.task = new OnDemandTask(tasks, "journal-backpressure", PERIOD, this::readStatsIfAny);
    this.meters = meters;
    this.linesMax = settings.linesMax();
  }

  private static final class Watched {
    volatile boolean isUsed = true;
    volatile @Nullable PoolStats stats;
    int idlePeriods;

    boolean isBusy() {
      var current = stats;
      return current != null && current.lines() + current.holds() > 0;
    }
  }

  @Override
  public void atStart() {
    meters.register(this::stats);
    task.task().start();
  }

  /// Returns the delay of a request: zero up to half of the limit of journal lines, then growing.
  public Duration delayFor(PoolName pool) {
    var half = linesMax / 2.0;
    var excess = Math.min(1, (backlog(pool) - half) / half);
    return excess <= 0 ? Duration.ZERO : Duration.ofNanos((long) (DELAY_MAX.toNanos() * excess));
  }

  /// Returns whether requests must be refused.
  public boolean isFull(PoolName pool) {
    return backlog(pool) >= linesMax;
  }

  /// Returns the waiting journal lines of the last reading, and marks the pool as used.
  long backlog(PoolName pool) {
    var watched = pools.get(pool);
    if (watched == null) {
      watched = pools.computeIfAbsent(pool, _ -> new Watched());
      task.workArrived();
    }
    if (!watched.isUsed) { // a volatile field that all threads write on every call is slow
      watched.isUsed = true;
    }
    var stats = watched.stats;
    return stats == null ? 0 : stats.lines();
  }

  private boolean readStatsIfAny() {
    if (pools.isEmpty()) {
      return false;
    }
    readStats();
    return true;
  }

  void readStats() {
    var used = new ArrayList<Map.Entry<PoolName, Watched>>();
    var unused = new ArrayList<Map.Entry<PoolName, Watched>>();
    for (var pool : pools.entrySet()) {
      if (isExpired(pool.getValue())) {
        pools.remove(pool.getKey());
      } else if (pool.getValue().idlePeriods <= 1) { // one more reading after the last use
        used.add(pool);
      } else if (pool.getValue().isBusy()) {
        unused.add(pool);
      }
    }
    readPart(used, USED_POOLS_A_PERIOD);
    readPart(unused, UNUSED_POOLS_A_PERIOD);
    period++;
  }

  private void readPart(List<Map.Entry<PoolName, Watched>> all, int max) {
    var groups = 1 + (all.size() - 1) / max;
    for (var i = period % groups; i < all.size(); i += groups) {
      readStats(all.get(i).getKey(), all.get(i).getValue());
    }
  }

  /// If Redis does not answer, the pool keeps its last statistics.
  private void readStats(PoolName pool, Watched watched) {
    scripts
        .call(STATS, pool)
        .thenAccept(
            reply -> {
              watched.stats = parse(reply);
              meters.registerEpoch(pool, () -> watched.stats);
            });
  }

  private static @Nullable PoolStats parse(List<String> reply) {
    var fields = reply.getFirst().split("\t");
    return switch (fields[0]) {
      case "VITALS" -> PoolStats.of(fields);
      case "UNSEEDED" -> null;
      default -> throw new IllegalStateException("pool/vitals answered " + reply);
    };
  }

  private static boolean isExpired(Watched watched) {
    watched.idlePeriods = watched.isUsed ? 0 : watched.idlePeriods + 1;
    watched.isUsed = false;
    return watched.idlePeriods > IDLE_PERIODS_MAX;
  }

  Stream<PoolStats> stats() {
    return pools.values().stream().flatMap(watched -> Stream.ofNullable(watched.stats));
  }
}
