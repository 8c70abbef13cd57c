package io.holdfast.confirm;

import io.holdfast.hold.pin.PinSettings;
import io.holdfast.postgres.PostgresClock;
import io.holdfast.redis.RedisScripts;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.StartupTask;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micronaut.core.annotation.Order;
import jakarta.inject.Singleton;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Measures the difference between the clocks of Redis and Postgres. Redis sets the deadline of a
/// pin and Postgres checks it, so nothing is sold while they differ by more than the setting
/// allows.
@Singleton
@Order(StartupTask.AFTER_MIGRATIONS)
final class ClockSkew implements StartupTask {
  private static final Logger LOG = LoggerFactory.getLogger(ClockSkew.class);

  private static final Duration PAUSE = Duration.ofMinutes(1);

  private final RedisScripts scripts;
  private final PostgresClock postgres;
  private final Duration max;
  private final PeriodicTasks tasks;
  private volatile Duration least = Duration.ZERO;

  ClockSkew(
      RedisScripts scripts,
      PostgresClock postgres,
      PinSettings settings,
      PeriodicTasks tasks,
      MeterRegistry meters) {
    this.scripts = scripts;
    this.postgres = postgres;
    this.max = settings.maxClockSkew();
    this.tasks = tasks;
    Gauge.builder("holdfast.clock.skew", this, skew -> skew.least.toNanos() / 1e9)
        .baseUnit("seconds")
        .description("How far the clocks of Redis and Postgres are apart, at least")
        .register(meters);
  }

  @Override
  public void atStart() {
    tasks.every("clock-skew", PAUSE, this::measure).startAfterRun();
  }

  boolean isTooLarge() {
    return least.compareTo(max) > 0;
  }

  /// Postgres is asked after Redis. The difference of the two times contains the duration of both
  /// calls, so only the part beyond that duration counts as skew.
  void measure() {
    var since = System.nanoTime();
    var first = scripts.now();
    var second = postgres.now();
    var between = Duration.between(first, second);
    var ahead = between.minusNanos(System.nanoTime() - since);
    least = ahead.isPositive() ? ahead : between.isNegative() ? between.abs() : Duration.ZERO;
    if (isTooLarge()) {
      LOG.error(
          "The clocks of Redis and Postgres are {} ms apart, more than the {} ms allowed; nothing"
              + " is sold until they agree",
          least.toMillis(),
          max.toMillis());
    }
  }
}
