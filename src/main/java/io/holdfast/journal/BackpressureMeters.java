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

/// Metrics of the pools that this instance uses.
@Singleton
final class BackpressureMeters {
  /// Bounds the values of the label `pool`.
  private static final int EPOCHS_MAX = 100;

  private final MeterRegistry meters;
  private final Set<PoolName> registered = ConcurrentHashMap.newKeySet();

  BackpressureMeters(MeterRegistry meters) {
    this.meters = meters;
  }

  void register(Supplier<Stream<PoolStats>> pools) {
    gauge("journal.lag", "Journal lines that wait in Redis", () -> sum(pools, PoolStats::lines));
    gauge(
        "journal.lag.seconds",
        "Age of the oldest journal line in Redis",
        () -> longest(pools, PoolStats::lag));
    gauge("holds.active", "Live holds", () -> sum(pools, PoolStats::holds));
    gauge(
        "expiry.due.seconds",
        "How long the oldest lapsed hold has waited for the sweep",
        () -> longest(pools, PoolStats::overdue));
  }

  void registerEpoch(PoolName pool, Supplier<@Nullable PoolStats> stats) {
    if (registered.size() < EPOCHS_MAX && registered.add(pool)) {
      Gauge.builder("holdfast.fence.epoch", () -> epoch(stats.get()))
          .description("Epoch of the pool")
          .tag("pool", pool.value())
          .register(meters);
    }
  }

  private void gauge(String name, String description, Supplier<Number> value) {
    Gauge.builder("holdfast." + name, value).description(description).register(meters);
  }

  private static double epoch(@Nullable PoolStats stats) {
    return stats == null ? Double.NaN : stats.epoch().value();
  }

  private static long sum(Supplier<Stream<PoolStats>> pools, ToLongFunction<PoolStats> value) {
    return pools.get().mapToLong(value).sum();
  }

  private static double longest(
      Supplier<Stream<PoolStats>> pools, Function<PoolStats, Duration> value) {
    return pools.get().mapToLong(pool -> value.apply(pool).toMillis()).max().orElse(0) / 1_000.0;
  }
}
