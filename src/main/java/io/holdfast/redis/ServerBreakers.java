package io.holdfast.redis;

import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// One circuit breaker for each Redis server. It opens when the server did not reply within the
/// command timeout, or when half of its last calls were lost. Load alone does not open it: a late
/// reply counts as a reply.
final class ServerBreakers {
  private static final CircuitBreakerConfig CONFIG =
      CircuitBreakerConfig.custom()
          .slidingWindowType(CircuitBreakerConfig.SlidingWindowType.COUNT_BASED)
          .slidingWindowSize(10)
          .minimumNumberOfCalls(3)
          .failureRateThreshold(50)
          .waitDurationInOpenState(Duration.ofMillis(500))
          .permittedNumberOfCallsInHalfOpenState(2)
          .maxWaitDurationInHalfOpenState(Duration.ofSeconds(2))
          .automaticTransitionFromOpenToHalfOpenEnabled(false)
          .build();

  private final Map<RedisURI, CircuitBreaker> breakers = new ConcurrentHashMap<>();

  boolean isAnyOpen() {
    return breakers.values().stream()
        .anyMatch(breaker -> breaker.getState() == CircuitBreaker.State.OPEN);
  }

  /// Makes the call unless the breaker of that server is open.
  <R> CompletionStage<R> unlessOpen(RedisURI server, Supplier<CompletionStage<R>> call) {
    var breaker = breakers.computeIfAbsent(server, uri -> CircuitBreaker.of(uri.getHost(), CONFIG));
    if (!breaker.tryAcquirePermission()) {
      return CompletableFuture.failedStage(
          RedisUnavailable.notSent(
              "Redis does not reply; the next call after a short pause tries again"));
    }
    var since = System.nanoTime();
    return call.get().whenComplete((_, failure) -> count(breaker, since, failure));
  }

  /// A script with a bug is no failure of its server. One call without a reply opens the breaker.
  private static void count(CircuitBreaker breaker, long since, @Nullable Throwable failure) {
    var nanos = System.nanoTime() - since;
    var cause = failure == null ? null : RedisUnavailable.unwrap(failure);
    if (cause == null || RedisUnavailable.isOfScript(cause.getCause())) {
      breaker.onSuccess(nanos, TimeUnit.NANOSECONDS);
      return;
    }
    breaker.onError(nanos, TimeUnit.NANOSECONDS, cause);
    if (cause instanceof RedisUnavailable lost && lost.isSilence()) {
      breaker.transitionToOpenState();
    }
  }
}
