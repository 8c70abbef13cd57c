package io.holdfast.journal;

import io.holdfast.pool.PoolName;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What the pools that this instance uses are like, for whoever watches over it.
@Singleton
final class BackpressureMeters {
  /// A label with many values is a burden to those who store metrics.
  private static final int EPOCHS_MAX = 100;

  private final MeterRegistry meters;
  private final Set<PoolName> shown = ConcurrentHashMap.newKeySet();

  BackpressureMeters(MeterRegistry meters) {
    this.meters = meters;
  }

  void show(Supplier<Stream<PoolStats>> pools) {
    gauge("journal.lag", "Lines that wait in Redis", () -> sum(pools, PoolStats::lines));
    gauge("journal.lag.seconds", "Age of the oldest of them", () -> longest(pools, PoolStats::lag));
    gauge("holds.active", "Holds that are live", () -> sum(pools, PoolStats::holds));
    gauge(
        "expiry.due.seconds",
        "How long the oldest hold that has lapsed waits for its sweep",
        () -> longest(pools, PoolStats::overdue));
  }

  void showEpoch(PoolName pool, Supplier<@Nullable PoolStats> vitals) {
    if (shown.size() < EPOCHS_MAX && shown.add(pool)) {
      Gauge.builder("holdfast.fence.epoch", () -> epoch(vitals.get()))
          .description("Which life of Redis' memory the pool is in")
          .tag("pool", pool.value())
          .register(meters);
    }
  }

  private void gauge(String name, String description, Supplier<Number> value) {
    Gauge.builder("holdfast." + name, value).description(description).register(meters);
  }

  private static double epoch(@Nullable PoolStats vitals) {
    return vitals == null ? Double.NaN : vitals.epoch().value();
  }

  private static long sum(Supplier<Stream<PoolStats>> pools, ToLongFunction<PoolStats> value) {
    return pools.get().mapToLong(value).sum();
  }

  private static double longest(
      Supplier<Stream<PoolStats>> pools, Function<PoolStats, Duration> value) {
    return pools.get().mapToLong(pool -> value.apply(pool).toMillis()).max().orElse(0) / 1_000.0;
  }
}
