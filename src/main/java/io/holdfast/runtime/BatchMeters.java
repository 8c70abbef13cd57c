package io.holdfast.runtime;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/// The metrics of a `Batcher`.
public final class BatchMeters {
  private static final Duration[] BUCKETS =
      IntStream.of(1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000)
          .mapToObj(Duration::ofMillis)
          .toArray(Duration[]::new);

  private final Timer queueTime;
  private final DistributionSummary batchSize;
  private final Counter shed;

  /// @param name the middle part of their names
  public BatchMeters(String name, MeterRegistry meters) {
    this.queueTime =
        Timer.builder("holdfast." + name + ".queue.time")
            .description("How long the oldest call of a batch has waited when it is sent")
            .serviceLevelObjectives(BUCKETS)
            .register(meters);
    this.batchSize =
        DistributionSummary.builder("holdfast." + name + ".batch.size")
            .description("Calls that are sent together")
            .serviceLevelObjectives(1, 2, 4, 8, 16, 32, 64, 128)
            .register(meters);
    this.shed =
        Counter.builder("holdfast." + name + ".shed")
            .description("Calls that were refused because too many waited before them")
            .register(meters);
  }

  /// For users that count for themselves: a registry without another one behind it keeps nothing.
  static BatchMeters none() {
    return new BatchMeters("none", new CompositeMeterRegistry());
  }

  void sent(int calls, long waitedNanos) {
    batchSize.record(calls);
    queueTime.record(waitedNanos, TimeUnit.NANOSECONDS);
  }

  void shed() {
    shed.increment();
  }
}
