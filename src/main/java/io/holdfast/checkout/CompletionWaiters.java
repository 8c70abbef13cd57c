package io.holdfast.checkout;

import io.holdfast.checkout.saga.CheckoutId;
import io.holdfast.checkout.saga.CheckoutRun;
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
final class CompletionWaiters {
  private final Map<CheckoutId, CompletableFuture<CheckoutRun>> waiting = new ConcurrentHashMap<>();

  /// From now on its end is heard of, until `await` is through with it.
  void expect(CheckoutId id) {
    expected(id);
  }

  void ended(CheckoutRun run) {
    var end = waiting.get(run.id());
    if (end != null) {
      end.complete(run);
    }
  }

  /// The run as it has ended here since it was expected; empty after so long.
  Optional<CheckoutRun> await(CheckoutId id, Duration most) {
    var end = expected(id);
    try {
      return heard(end, most);
    } finally {
      waiting.remove(id, end);
    }
  }

  /// Looks first. An end between that look and the waiting is heard of.
  Optional<CheckoutRun> await(CheckoutId id, Supplier<CheckoutRun> look, Duration most) {
    var end = expected(id);
    try {
      var run = look.get();
      return run.phase().isEnd() ? Optional.of(run) : heard(end, most);
    } finally {
      waiting.remove(id, end);
    }
  }

  private CompletableFuture<CheckoutRun> expected(CheckoutId id) {
    return waiting.computeIfAbsent(id, _ -> new CompletableFuture<>());
  }

  private static Optional<CheckoutRun> heard(CompletableFuture<CheckoutRun> end, Duration most) {
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
