package io.holdfast.hold;

import io.holdfast.activity.PoolIndex;
import io.holdfast.activity.PoolIndex.Taken;
import io.holdfast.hold.pin.PinResolver;
import io.holdfast.pool.Epoch;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.PoolName;
import io.holdfast.redis.RedisUnavailable;
import io.holdfast.runtime.PeriodicTask;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.StartupTask;
import io.holdfast.seeding.IndexRebuilder;
import io.holdfast.seeding.PoolSeeder;
import io.holdfast.seeding.ScriptReplies;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micronaut.core.annotation.Order;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/// Ends holds whose lease is over: an expiry is a recorded transition, not an absence. Every
/// instance takes pools from the index that have something due, so each pool has one sweeper at a
/// time and a pool without holds costs nothing. A run ends a bounded number of holds, and succeeds
/// when all its calls were answered.
@Singleton
@Order(StartupTask.AFTER_MIGRATIONS)
final class ExpirySweeper implements StartupTask {
  private static final Duration PAUSE_MAX = Duration.ofMillis(250);

  /// While no pool has live holds. No lease is shorter than a second, so a hold is in the index and
  /// not due yet when this pause is over.
  private static final Duration PAUSE_IDLE = Duration.ofMillis(750);

  /// Between two runs while holds are overdue: callers come first.
  private static final Duration PAUSE_MIN = Duration.ofMillis(5);

  private static final Duration LEASE = Duration.ofSeconds(5);
  private static final int POOLS_A_RUN_MAX = 16;

  /// A run asks Redis for about four milliseconds of work, and a call for no more than two.
  private static final int HOLDS_A_RUN = 100;

  private static final int HOLDS_A_CALL_MAX = 50;
  private static final String SWEPT = "SWEPT";

  /// Before a pool is tried again whose sweep failed, or that is not in Redis.
  private static final Duration RETRY_PAUSE = Duration.ofSeconds(1);

  private final HoldScripts scripts;
  private final PoolIndex index;
  private final IndexRebuilder walk;
  private final PoolSeeder seeding;
  private final PinResolver resolver;
  private final PeriodicTask task;
  private final Timer lag;
  private final Counter expired;
  private volatile long sweeps;
  private volatile long drains;

  ExpirySweeper(
      HoldScripts scripts,
      PoolIndex index,
      IndexRebuilder walk,
      PoolSeeder seeding,
      PinResolver resolver,
      PeriodicTasks tasks,
      MeterRegistry meters) {
    this.scripts = scripts;
    this.index = index;
    this.walk = walk;
    this.seeding = seeding;
    this.resolver = resolver;
    this.task = tasks.selfPaced("expiry-sweep", this::sweepDue).onStop(seeding::stop);
    this.lag =
        Timer.builder("holdfast.expiry.lag")
            .description("How long after its lease a hold was ended")
            .serviceLevelObjectives(HoldMetrics.BUCKETS)
            .register(meters);
    this.expired = HoldMetrics.outcome(meters, "expired");
    Gauge.builder("holdfast.index.sweep", this, sweeper -> sweeper.sweeps)
        .description("Pools in the index that have live holds, or tokens to forget")
        .register(meters);
    Gauge.builder("holdfast.index.drain", this, sweeper -> sweeper.drains)
        .description("Pools in the index whose journals may have lines")
        .register(meters);
  }

  @Override
  public void atStart() {
    task.start();
  }

  /// Returns how long to wait for the next run.
  private Duration sweepDue() {
    var taken = index.take(POOLS_A_RUN_MAX, LEASE);
    sweeps = taken.sweeps();
    drains = taken.drains();
    taken.lostOn().ifPresent(walk::rebuild);
    if (taken.pools().isEmpty()) {
      var most = taken.sweeps() == 0 ? PAUSE_IDLE : PAUSE_MAX;
      var untilNext = taken.untilNext().orElse(most);
      return untilNext.compareTo(most) < 0 ? untilNext.plus(PAUSE_MIN) : most;
    }
    sweep(taken);
    return PAUSE_MIN;
  }

  /// A pool of a node that is silent delays the others by one time limit; after that it is left
  /// alone for a while.
  private void sweep(Taken taken) {
    var holds = Math.min(HOLDS_A_CALL_MAX, HOLDS_A_RUN / taken.pools().size());
    var calls = new LinkedHashMap<PoolName, CompletionStage<List<String>>>();
    for (var pool : taken.pools()) {
      calls.put(pool, scripts.sweep(pool, holds));
    }
    var next = new HashMap<PoolName, String>();
    var failures = new ArrayList<RedisUnavailable>();
    calls.forEach(
        (pool, call) -> {
          try {
            nextDue(pool, ScriptReplies.of(call), taken.lease())
                .ifPresent(due -> next.put(pool, due));
          } catch (RedisUnavailable e) {
            next.put(pool, "+" + RETRY_PAUSE.toMillis());
            failures.add(e);
          }
        });
    index.settle(taken.lease(), next);
    if (!failures.isEmpty()) {
      throw failures.getFirst();
    }
  }

  /// When the pool is due next, or empty if it keeps its lease until it was seeded.
  private Optional<String> nextDue(PoolName pool, List<String> reply, String lease) {
    var head = reply.getFirst().split("\t", -1);
    if (!head[0].equals(SWEPT)) {
      seed(pool, head[1], lease);
      return Optional.empty();
    }
    reply.stream().skip(1).forEach(one -> ended(pool, one));
    return Optional.of(head[1]);
  }

  private void seed(PoolName pool, String why, String lease) {
    seeding
        .openIfNeeded(pool, why)
        .whenComplete(
            (isDone, _) -> {
              var pause = isDone != null && isDone ? null : RETRY_PAUSE;
              index.settleLater(lease, pool, Optional.ofNullable(pause));
            });
  }

  /// EXPIRED and how late a hold was ended, or PINNED, the epoch and the record of one that is.
  private void ended(PoolName pool, String one) {
    var fields = one.split("\t", 3);
    if (fields[0].equals("PINNED")) {
      var epoch = new Epoch(Long.parseLong(fields[1]));
      resolver.resolve(pool, HoldRecord.parse(fields[2]), epoch);
    } else {
      lag.record(Long.parseLong(fields[1]), TimeUnit.MILLISECONDS);
      expired.increment();
    }
  }
}
