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

/// How much of the journals waits in Redis while Postgres is slow or away, and how much callers
/// have to be slowed down for it. Asks once a second after the pools that this instance uses; in
/// between it answers from what it knows. A pool that is not used is asked after now and then while
/// it has lines or holds.
@Singleton
public final class JournalBackpressure implements StartupTask {
  private static final Script VITALS = Script.named("pool/vitals");
  private static final Duration PERIOD = Duration.ofSeconds(1);
  private static final Duration DELAY_MAX = Duration.ofMillis(250);
  private static final int IDLE_PERIODS_MAX = 600;

  /// Of more pools than this, some wait for another second.
  private static final int ASKED_AT_ONCE_MAX = 500;

  /// Of those that are not used.
  private static final int UNUSED_AT_ONCE_MAX = 20;

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
    this.task = new OnDemandTask(tasks, "journal-backpressure", PERIOD, this::askIfUsed);
    this.meters = meters;
    this.linesMax = settings.linesMax();
  }

  private static final class Watched {
    volatile boolean isUsed = true;
    volatile @Nullable PoolStats vitals;
    int idlePeriods;

    boolean isBusy() {
      var present = vitals;
      return present != null && present.lines() + present.holds() > 0;
    }
  }

  @Override
  public void atStart() {
    meters.show(this::vitals);
    task.task().start();
  }

  /// How long a call has to wait before it is served: nothing as long as less than half of what may
  /// wait in the journal does, then more and more.
  public Duration delayFor(PoolName pool) {
    var half = linesMax / 2.0;
    var excess = Math.min(1, (backlog(pool) - half) / half);
    return excess <= 0 ? Duration.ZERO : Duration.ofNanos((long) (DELAY_MAX.toNanos() * excess));
  }

  /// Whether so much waits that calls have to be refused.
  public boolean isFull(PoolName pool) {
    return backlog(pool) >= linesMax;
  }

  /// Lines of the pool's journal that wait, as far as is known; whoever asks uses the pool.
  long backlog(PoolName pool) {
    var watched = pools.get(pool);
    if (watched == null) {
      watched = pools.computeIfAbsent(pool, _ -> new Watched());
      task.workArrived();
    }
    if (!watched.isUsed) { // read first: a field that all threads write all the time is slow
      watched.isUsed = true;
    }
    var vitals = watched.vitals;
    return vitals == null ? 0 : vitals.lines();
  }

  private boolean askIfUsed() {
    if (pools.isEmpty()) {
      return false;
    }
    ask();
    return true;
  }

  void ask() {
    var used = new ArrayList<Map.Entry<PoolName, Watched>>();
    var unused = new ArrayList<Map.Entry<PoolName, Watched>>();
    for (var pool : pools.entrySet()) {
      if (isForgotten(pool.getValue())) {
        pools.remove(pool.getKey());
      } else if (pool.getValue().idlePeriods <= 1) { // once more after its last use
        used.add(pool);
      } else if (pool.getValue().isBusy()) {
        unused.add(pool);
      }
    }
    askSome(used, ASKED_AT_ONCE_MAX);
    askSome(unused, UNUSED_AT_ONCE_MAX);
    period++;
  }

  private void askSome(List<Map.Entry<PoolName, Watched>> some, int most) {
    var groups = 1 + (some.size() - 1) / most;
    for (var i = period % groups; i < some.size(); i += groups) {
      ask(some.get(i).getKey(), some.get(i).getValue());
    }
  }

  /// A pool that Redis does not answer for keeps the vitals it had.
  private void ask(PoolName pool, Watched watched) {
    scripts
        .call(VITALS, pool)
        .thenAccept(
            reply -> {
              watched.vitals = vitals(reply);
              meters.showEpoch(pool, () -> watched.vitals);
            });
  }

  private static @Nullable PoolStats vitals(List<String> reply) {
    var fields = reply.getFirst().split("\t");
    return switch (fields[0]) {
      case "VITALS" -> PoolStats.of(fields);
      case "UNSEEDED" -> null;
      default -> throw new IllegalStateException("pool/vitals answered " + reply);
    };
  }

  private static boolean isForgotten(Watched watched) {
    watched.idlePeriods = watched.isUsed ? 0 : watched.idlePeriods + 1;
    watched.isUsed = false;
    return watched.idlePeriods > IDLE_PERIODS_MAX;
  }

  Stream<PoolStats> vitals() {
    return pools.values().stream().flatMap(watched -> Stream.ofNullable(watched.vitals));
  }
}
