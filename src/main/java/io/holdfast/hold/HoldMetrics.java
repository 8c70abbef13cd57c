package io.holdfast.hold;

import io.holdfast.hold.HoldOutcome.Collision;
import io.holdfast.hold.HoldOutcome.StaleFence;
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

/// Counts what calls come to. A meter is made once and found by its outcome's class, which costs
/// the hot path nothing but an addition.
@Singleton
final class HoldMetrics {
  /// Few enough to be kept for years, close enough to tell a good day from a bad one.
  static final Duration[] BUCKETS =
      IntStream.of(1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 5_000)
          .mapToObj(Duration::ofMillis)
          .toArray(Duration[]::new);

  private final MeterRegistry meters;
  private final Map<Class<?>, Counter> outcomes = new ConcurrentHashMap<>();
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

  static Counter outcome(MeterRegistry meters, String outcome) {
    return Counter.builder("holdfast.holds")
        .description("Calls about holds, by what they came to")
        .tag("outcome", outcome)
        .register(meters);
  }

  private static Counter idempotency(MeterRegistry meters, String result) {
    return Counter.builder("holdfast.idempotency")
        .description("Calls under a token: the first one, a replay, or a token spent otherwise")
        .tag("result", result)
        .register(meters);
  }

  void placed(long since) {
    duration.record(System.nanoTime() - since, TimeUnit.NANOSECONDS);
  }

  void called(TokenOutcome decision) {
    var outcome = decision.outcome();
    if (decision.isReplay()) {
      replay.increment();
    } else if (outcome instanceof Collision) {
      collision.increment();
    } else {
      first.increment();
      counted(outcome);
    }
  }

  void counted(HoldOutcome outcome) {
    if (outcome instanceof StaleFence) {
      staleFences.increment();
    }
    outcomes.computeIfAbsent(outcome.getClass(), kind -> outcome(meters, word(kind))).increment();
  }

  /// `NoSuchItem` becomes `no_such_item`.
  private static String word(Class<?> kind) {
    return kind.getSimpleName().replaceAll("(?<=[a-z])(?=[A-Z])", "_").toLowerCase(Locale.ROOT);
  }
}
