package io.holdfast.hold;

import io.holdfast.hold.HoldOutcome.Collision;
import io.holdfast.hold.HoldOutcome.Decided;
import io.holdfast.pool.OutcomeCodec;
import io.holdfast.pool.StoredOutcome.Reason;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/// Counts the outcomes of calls. A counter is created at the first use of its outcome.
@Singleton
public final class HoldMetrics {
  /// Limits of the buckets of latency histograms.
  static final Duration[] BUCKETS =
      IntStream.of(1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 5_000)
          .mapToObj(Duration::ofMillis)
          .toArray(Duration[]::new);

  private final MeterRegistry meters;
  private final Map<String, Counter> outcomes = new ConcurrentHashMap<>();
  private final Counter first;
  private final Counter replay;
  private final Counter collision;
  private final Counter staleFences;
  private final Timer duration;

  HoldMetrics(MeterRegistry meters) {
    this.meters = meters;
    this.first = idempotency(meters, "first");
    this.replay = idempotency(meters, "replay");
    this.collision = idempotency(meters, "collision");
    this.staleFences =
        Counter.builder("holdfast.fence.rejected")
            .description("Calls with a fence that is not the hold's")
            .register(meters);
    this.duration =
        Timer.builder("holdfast.hold.duration")
            .description("From a request to place a hold to its answer")
            .serviceLevelObjectives(BUCKETS)
            .register(meters);
  }

  public static Counter outcome(MeterRegistry meters, String outcome) {
    return Counter.builder("holdfast.holds")
        .description("Calls about holds, by outcome")
        .tag("outcome", outcome)
        .register(meters);
  }

  private static Counter idempotency(MeterRegistry meters, String result) {
    return Counter.builder("holdfast.idempotency")
        .description("Calls under a token: the first one, a replay, or a token spent otherwise")
        .tag("result", result)
        .register(meters);
  }

  void recordPlacing(long since) {
    duration.record(System.nanoTime() - since, TimeUnit.NANOSECONDS);
  }

  /// Counts a call under a token.
  void count(HoldOutcome outcome) {
    if (outcome instanceof Decided(_, var isReplay) && isReplay) {
      replay.increment();
    } else if (outcome instanceof Collision) {
      collision.increment();
    } else {
      first.increment();
      countOutcome(outcome);
    }
  }

  void countOutcome(HoldOutcome outcome) {
    if (outcome instanceof Decided(var stored, _) && stored == Reason.STALE_FENCE) {
      staleFences.increment();
    }
    var kind =
        outcome instanceof Decided(var stored, _) ? OutcomeCodec.word(stored) : name(outcome);
    outcomes.computeIfAbsent(kind, this::counter).increment();
  }

  private static String name(HoldOutcome outcome) {
    return outcome.getClass().getSimpleName();
  }

  /// The tag of `NOT_HELD` is `not_held`, that of `Away` is `away`.
  private Counter counter(String kind) {
    return outcome(meters, kind.toLowerCase(Locale.ROOT));
  }
}
