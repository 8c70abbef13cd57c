package io.holdfast.hold;

import io.holdfast.AtStart;
import io.holdfast.intent.IntentUnavailable;
import io.holdfast.pool.Epoch;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.Pool;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micronaut.core.annotation.Order;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.TaskScheduler;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Ends holds whose lease is over: an expiry is a recorded transition, not an absence. Every
/// instance sweeps; the script sees to it that each hold ends once. It asks each pool several times
/// a second, so a hold ends late by less than that, and never early.
@Singleton
@Order(Sweeper.AFTER_MIGRATIONS)
final class Sweeper implements AtStart {
  static final int AFTER_MIGRATIONS = 100;
  private static final Logger LOG = LoggerFactory.getLogger(Sweeper.class);

  private static final Duration PAUSE = Duration.ofMillis(200);
  private static final int BATCH = 100;
  private static final String SWEPT = "SWEPT";

  private final HoldScripts scripts;
  private final Pools pools;
  private final Seeding seeding;
  private final PinResolver resolver;
  private final TaskScheduler scheduler;
  private final Timer lag;
  private final Counter expired;
  private final Set<Pool> underWay = ConcurrentHashMap.newKeySet();

  Sweeper(
      HoldScripts scripts,
      Pools pools,
      Seeding seeding,
      PinResolver resolver,
      @Named(TaskExecutors.SCHEDULED) TaskScheduler scheduler,
      MeterRegistry meters) {
    this.scripts = scripts;
    this.pools = pools;
    this.seeding = seeding;
    this.resolver = resolver;
    this.scheduler = scheduler;
    this.lag =
        Timer.builder("holdfast.expiry.lag")
            .description("How long after its lease a hold was ended")
            .serviceLevelObjectives(HoldMetrics.BUCKETS)
            .register(meters);
    this.expired = HoldMetrics.outcome(meters, "expired");
  }

  @Override
  public void atStart() {
    scheduler.scheduleWithFixedDelay(PAUSE, PAUSE, () -> pools.known().forEach(this::sweep));
  }

  private void sweep(Pool pool) {
    if (underWay.add(pool)) {
      scripts
          .sweep(pool.name(), BATCH)
          .whenComplete(
              (reply, failure) -> {
                underWay.remove(pool);
                swept(pool, reply, failure);
              });
    }
  }

  private void swept(Pool pool, @Nullable List<Object> reply, @Nullable Throwable failure) {
    if (reply == null) {
      if (!(failure instanceof IntentUnavailable)) {
        LOG.error("The sweep of pool {} failed; it is tried again", pool.name(), failure);
      }
    } else if (!reply.getFirst().equals(SWEPT)) {
      seeding.openIfNeeded(pool, (String) reply.get(1));
    } else {
      reply.stream().skip(1).forEach(one -> ended(pool, (String) one));
      if (reply.size() > BATCH) {
        sweep(pool);
      }
    }
  }

  /// How late a hold was ended, or the epoch and the record of one that is pinned.
  private void ended(Pool pool, String one) {
    var tab = one.indexOf('\t');
    if (tab > 0) {
      var epoch = new Epoch(Long.parseLong(one.substring(0, tab)));
      resolver.resolve(pool.name(), HoldRecord.parse(one.substring(tab + 1)), epoch);
    } else {
      lag.record(Long.parseLong(one), TimeUnit.MILLISECONDS);
      expired.increment();
    }
  }
}
