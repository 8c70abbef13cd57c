package io.holdfast.checkout;

import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/// Who waits here for the end of a checkout. An end on another instance is not heard of, so whoever
/// waits looks from time to time as well.
@Singleton
final class Waiters {
  private final Map<CheckoutId, CompletableFuture<Run>> waiting = new ConcurrentHashMap<>();

  /// From now on its end is heard of, until `await` is through with it.
  void expect(CheckoutId id) {
    expected(id);
  }

  void ended(Run run) {
    var end = waiting.get(run.id());
    if (end != null) {
      end.complete(run);
    }
  }

  /// The run as it has ended here since it was expected; empty after so long.
  Optional<Run> await(CheckoutId id, Duration most) {
    var end = expected(id);
    try {
      return heard(end, most);
    } finally {
      waiting.remove(id, end);
    }
  }

  /// Looks first. An end between that look and the waiting is heard of.
  Optional<Run> await(CheckoutId id, Supplier<Run> look, Duration most) {
    var end = expected(id);
    try {
      var run = look.get();
      return run.phase().isEnd() ? Optional.of(run) : heard(end, most);
    } finally {
      waiting.remove(id, end);
    }
  }

  private CompletableFuture<Run> expected(CheckoutId id) {
    return waiting.computeIfAbsent(id, _ -> new CompletableFuture<>());
  }

  private static Optional<Run> heard(CompletableFuture<Run> end, Duration most) {
    try {
      return Optional.of(end.get(most.toMillis(), TimeUnit.MILLISECONDS));
    } catch (TimeoutException | ExecutionException e) {
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }
}
