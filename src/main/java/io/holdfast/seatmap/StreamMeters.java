package io.holdfast.seatmap;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.inject.Singleton;
import java.util.function.IntSupplier;

/// Metrics of the streams.
@Singleton
final class StreamMeters {
  private final MeterRegistry meters;
  private final Counter polls;
  private final Counter skipped;
  private final Counter stalled;

  StreamMeters(MeterRegistry meters) {
    this.meters = meters;
    polls =
        Counter.builder("holdfast.live.looks")
            .description("Polls for changes of a pool, shared by all listeners")
            .register(meters);
    skipped =
        Counter.builder("holdfast.live.skipped")
            .description(
                "Listeners too slow for single changes, which got a whole snapshot instead")
            .register(meters);
    stalled =
        Counter.builder("holdfast.live.stalled")
            .description("Listeners that stopped reading and were disconnected")
            .register(meters);
  }

  void gaugeListeners(IntSupplier count) {
    Gauge.builder("holdfast.live.listeners", count, IntSupplier::getAsInt)
        .description("Listeners of this instance")
        .strongReference(true) // the gauge holds the only reference
        .register(meters);
  }

  void countPoll() {
    polls.increment();
  }

  void countSkipped() {
    skipped.increment();
  }

  void countStalled() {
    stalled.increment();
  }
}
