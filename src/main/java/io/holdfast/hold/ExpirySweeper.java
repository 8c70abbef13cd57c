package io.holdfast.hold;

import io.holdfast.activity.PoolIndex;
import io.holdfast.activity.PoolIndex.Taken;
import io.holdfast.hold.HoldReplies.Sweep;
import io.holdfast.hold.pin.PinResolver;
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
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/// Ends holds whose lease is over and records each expiry. Every instance takes due pools from the
/// index under a lease, so each pool has one sweeper at a time and a pool without holds costs
/// nothing. A run ends a bounded number of holds. It succeeds if all its calls were answered.
@Singleton
@Order(StartupTask.AFTER_MIGRATIONS)
final class ExpirySweeper implements StartupTask {
  private static final Duration PAUSE_MAX = Duration.ofMillis(250);

  /// Pause while no pool has live holds. No lease is shorter than a second, so a new hold is in the
  /// index and not due yet when this pause is over.
  private static final Duration PAUSE_IDLE = Duration.ofMillis(750);

  /// Pause between two runs while holds are overdue. It leaves Redis to the callers.
  private static final Duration PAUSE_MIN = Duration.ofMillis(5);

  private static final Duration LEASE = Duration.ofSeconds(5);
  private static final int POOLS_PER_RUN_MAX = 16;

  /// About four milliseconds of Redis' time per run, and two per call.
  private static final int HOLDS_PER_RUN = 100;

  private static final int HOLDS_PER_CALL_MAX = 50;

  /// Pause before a pool is tried again whose sweep failed, or that is not open in Redis.
  private static final Duration RETRY_PAUSE = Duration.ofSeconds(1);

  private final HoldScripts scripts;
  private final PoolIndex index;
  private final IndexRebuilder rebuilder;
  private final PoolSeeder seeder;
  private final PinResolver resolver;
  private final PeriodicTask task;
  private final Timer lag;
  private final Counter expired;
  private volatile long sweeps;
  private volatile long drains;

  ExpirySweeper(
      HoldScripts scripts,
      PoolIndex index,
      IndexRebuilder rebuilder,
      PoolSeeder seeder,
      PinResolver resolver,
      PeriodicTasks tasks,
      MeterRegistry meters) {
    this.scripts = scripts;
    this.index = index;
    this.rebuilder = rebuilder;
    this.seeder = seeder;
    this.resolver = resolver;
    this.task = tasks.selfPaced("expiry-sweep", this::sweepDue).onStop(seeder::stop);
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

  /// Returns the pause before the next run.
  private Duration sweepDue() {
    var taken = index.take(POOLS_PER_RUN_MAX, LEASE);
    sweeps = taken.sweeps();
    drains = taken.drains();
    taken.lostOn().ifPresent(rebuilder::rebuild);
    if (taken.pools().isEmpty()) {
      var most = taken.sweeps() == 0 ? PAUSE_IDLE : PAUSE_MAX;
      var untilNext = taken.untilNext().orElse(most);
      return untilNext.compareTo(most) < 0 ? untilNext.plus(PAUSE_MIN) : most;
    }
    sweep(taken);
    return PAUSE_MIN;
  }

  /// A pool whose node does not answer delays the others by one command timeout, then pauses.
  private void sweep(Taken taken) {
    var holds = Math.min(HOLDS_PER_CALL_MAX, HOLDS_PER_RUN / taken.pools().size());
    var calls = new LinkedHashMap<PoolName, CompletionStage<Sweep>>();
    for (var pool : taken.pools()) {
      calls.put(pool, scripts.sweep(pool, holds));
    }
    var next = new HashMap<PoolName, String>();
    var failures = new ArrayList<RedisUnavailable>();
    calls.forEach(
        (pool, call) -> {
          try {
            switch (ScriptReplies.await(call)) {
              case Sweep.Swept swept -> next.put(pool, resolvePinned(pool, swept));
              case Sweep.NotOpen(var why) -> seed(pool, why, taken.lease());
            }
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

  /// Returns when the pool is due next.
  private String resolvePinned(PoolName pool, Sweep.Swept swept) {
    for (var each : swept.lags()) {
      lag.record(each);
      expired.increment();
    }
    swept.pinned().forEach(each -> resolver.resolve(pool, each.hold(), each.epoch()));
    return swept.nextDue();
  }

  /// The pool keeps its lease in the index until it is seeded.
  private void seed(PoolName pool, String why, String lease) {
    seeder
        .openIfNeeded(pool, why)
        .whenComplete(
            (isDone, _) -> {
              var pause = isDone != null && isDone ? null : RETRY_PAUSE;
              index.settleLater(lease, pool, Optional.ofNullable(pause));
            });
  }
}
