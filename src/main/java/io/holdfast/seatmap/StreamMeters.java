package io.holdfast.seatmap;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.inject.Singleton;
import java.util.function.IntSupplier;

/// What streams tell Prometheus.
@Singleton
final class StreamMeters {
  private final MeterRegistry meters;
  private final Counter looks;
  private final Counter skipped;
  private final Counter stalled;

  StreamMeters(MeterRegistry meters) {
    this.meters = meters;
    looks =
        Counter.builder("holdfast.live.looks")
            .description("How often it was looked whether a pool has changed, for all who listen")
            .register(meters);
    skipped =
        Counter.builder("holdfast.live.skipped")
            .description("Listeners too slow for single changes, who got a whole picture instead")
            .register(meters);
    stalled =
        Counter.builder("holdfast.live.stalled")
            .description("Listeners who took nothing any more and were let go")
            .register(meters);
  }

  void listenersAre(IntSupplier count) {
    Gauge.builder("holdfast.live.listeners", count, IntSupplier::getAsInt)
        .description("How many listen to this instance")
        .strongReference(true) // nobody else keeps the supplier
        .register(meters);
  }

  void looked() {
    looks.increment();
  }

  void skipped() {
    skipped.increment();
  }

  void stalled() {
    stalled.increment();
  }
}
