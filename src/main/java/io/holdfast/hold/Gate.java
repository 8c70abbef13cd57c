package io.holdfast.hold;

import io.github.resilience4j.bulkhead.Bulkhead;
import io.github.resilience4j.bulkhead.BulkheadConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.holdfast.hold.HoldOutcome.Away;
import io.holdfast.intent.IntentMode;
import io.holdfast.intent.IntentUnavailable;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Stands before Redis, or what is there instead: while it does not answer, callers are told so at
/// once instead of waiting for one time limit after the other, and no more of them wait than a
/// bound.
@Singleton
final class Gate {
  private static final int CALLS_MAX = 4_096;
  private static final int WINDOW = 50;
  private static final int CALLS_MIN = 10;
  private static final int PROBES = 3;
  private static final Duration PAUSE = Duration.ofMillis(500);

  private final String server;
  private final CircuitBreaker breaker =
      CircuitBreaker.of(
          "intent",
          CircuitBreakerConfig.custom()
              .slidingWindowType(CircuitBreakerConfig.SlidingWindowType.COUNT_BASED)
              .slidingWindowSize(WINDOW)
              .minimumNumberOfCalls(CALLS_MIN)
              .failureRateThreshold(50)
              .slowCallRateThreshold(100)
              .waitDurationInOpenState(PAUSE)
              .permittedNumberOfCallsInHalfOpenState(PROBES)
              .maxWaitDurationInHalfOpenState(Duration.ofSeconds(2))
              .automaticTransitionFromOpenToHalfOpenEnabled(false)
              .recordExceptions(IntentUnavailable.class)
              .build());
  private final Bulkhead bulkhead =
      Bulkhead.of(
          "intent",
          BulkheadConfig.custom()
              .maxConcurrentCalls(CALLS_MAX)
              .maxWaitDuration(Duration.ZERO)
              .fairCallHandlingStrategyEnabled(false)
              .build());

  Gate(MeterRegistry meters, IntentMode mode) {
    this.server = mode.server();
    Gauge.builder("holdfast.gate.open", breaker, b -> isShut(b) ? 0 : 1)
        .description("Whether calls are let through to where holds are kept: 1 or 0")
        .register(meters);
  }

  /// Runs the call if it may pass, and turns the loss of it into `Away`.
  CompletionStage<Decision> pass(Supplier<CompletionStage<Decision>> call) {
    if (!breaker.tryAcquirePermission()) {
      return away(server + " does not answer; it is asked again in a moment");
    }
    if (!bulkhead.tryAcquirePermission()) {
      breaker.releasePermission();
      return away("too many calls wait for " + server);
    }
    var since = System.nanoTime();
    return call.get().handle((decision, failure) -> ended(since, decision, failure));
  }

  private Decision ended(long since, @Nullable Decision decision, @Nullable Throwable failure) {
    var nanos = System.nanoTime() - since;
    bulkhead.onComplete();
    if (decision != null) {
      breaker.onSuccess(nanos, TimeUnit.NANOSECONDS);
      return decision;
    }
    var cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (cause instanceof IntentUnavailable lost) {
      breaker.onError(nanos, TimeUnit.NANOSECONDS, lost);
      return Decision.fresh(new Away(lost.isDefinite(), server + " gave no answer"));
    }
    breaker.releasePermission();
    throw new CompletionException(cause);
  }

  private static CompletionStage<Decision> away(String why) {
    return CompletableFuture.completedStage(Decision.fresh(new Away(true, why)));
  }

  private static boolean isShut(CircuitBreaker breaker) {
    return breaker.getState() == CircuitBreaker.State.OPEN;
  }
}
