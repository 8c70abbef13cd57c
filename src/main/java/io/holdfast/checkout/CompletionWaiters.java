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

/// Callers that wait for the end of a checkout. An end on another instance is not signalled here,
/// so that callers also poll.
@Singleton
final class CompletionWaiters {
  private final Map<CheckoutId, CompletableFuture<CheckoutRun>> waiting = new ConcurrentHashMap<>();

  /// From now on its end is kept, until `await` returns.
  void expect(CheckoutId id) {
    expected(id);
  }

  void ended(CheckoutRun run) {
    var end = waiting.get(run.id());
    if (end != null) {
      end.complete(run);
    }
  }

  /// Returns the run if it ended here since it was expected; empty after the time limit.
  Optional<CheckoutRun> await(CheckoutId id, Duration timeout) {
    var end = expected(id);
    try {
      return await(end, timeout);
    } finally {
      waiting.remove(id, end);
    }
  }

  /// Reads first. An end between the read and the wait is not missed.
  Optional<CheckoutRun> await(CheckoutId id, Supplier<CheckoutRun> read, Duration timeout) {
    var end = expected(id);
    try {
      var run = read.get();
      return run.phase().isDecided() ? Optional.of(run) : await(end, timeout);
    } finally {
      waiting.remove(id, end);
    }
  }

  private CompletableFuture<CheckoutRun> expected(CheckoutId id) {
    return waiting.computeIfAbsent(id, _ -> new CompletableFuture<>());
  }

  private static Optional<CheckoutRun> await(CompletableFuture<CheckoutRun> end, Duration timeout) {
    try {
      return Optional.of(end.get(timeout.toMillis(), TimeUnit.MILLISECONDS));
    } catch (TimeoutException | ExecutionException e) {
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }
}
