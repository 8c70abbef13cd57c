package io.holdfast.access;

import io.holdfast.access.AuthResult.KeyStoreUnavailable;
import io.holdfast.access.AuthResult.Known;
import io.holdfast.access.AuthResult.UnknownKey;
import io.holdfast.idempotency.guard.DuplicateGuard;
import io.holdfast.idempotency.guard.GuardResult;
import io.holdfast.postgres.PostgresUnavailable;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micronaut.scheduling.TaskExecutors;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Looks up keys that are not cached: another instance may have created them a moment ago. All
/// waiting callers share one refresh of the cache, and refreshes keep a minimum distance. So
/// guessing at keys causes at most some ten queries a second.
@Singleton
final class UnknownKeyRefresh {
  private static final Logger LOG = LoggerFactory.getLogger(UnknownKeyRefresh.class);

  private static final Duration DISTANCE = Duration.ofMillis(100);
  private static final int WAITING_MAX = 1_000;

  private final ApiKeyCache keys;
  private final ExecutorService executor;
  private final DuplicateGuard unknownKeys;
  private final Counter refreshes;

  private @Nullable Refresh next;
  private boolean isRunning;
  private long startedAt = System.nanoTime() - DISTANCE.toNanos();

  UnknownKeyRefresh(
      ApiKeyCache keys,
      @Named(AccessFactory.UNKNOWN_KEYS) DuplicateGuard unknownKeys,
      @Named(TaskExecutors.BLOCKING) ExecutorService executor,
      MeterRegistry meters) {
    this.keys = keys;
    this.unknownKeys = unknownKeys;
    this.executor = executor;
    this.refreshes =
        Counter.builder("holdfast.keys.second.looks")
            .description("Refreshes of the cached API keys because of an unknown key")
            .register(meters);
  }

  CompletionStage<AuthResult> lookUp(ApiKeyHash hash) {
    if (unknownKeys.check(hash.toString()) == GuardResult.SEEN) {
      return CompletableFuture.completedStage(new UnknownKey());
    }
    return nextRefresh().thenApply(isDone -> isDone ? find(hash) : new KeyStoreUnavailable());
  }

  private AuthResult find(ApiKeyHash hash) {
    var caller = keys.find(hash);
    if (caller != null) {
      return new Known(caller);
    }
    unknownKeys.record(hash.toString());
    return new UnknownKey();
  }

  /// Joins a refresh that has not started yet, so that it sees all earlier commits. Completes with
  /// false if the refresh failed or too many callers wait for it.
  private synchronized CompletionStage<Boolean> nextRefresh() {
    if (next == null) {
      next = new Refresh();
      if (!isRunning) {
        schedule();
      }
    }
    return ++next.waiting > WAITING_MAX ? CompletableFuture.completedStage(false) : next.isDone;
  }

  private void schedule() {
    isRunning = true;
    var delay = DISTANCE.toNanos() - (System.nanoTime() - startedAt);
    CompletableFuture.delayedExecutor(Math.max(0, delay), TimeUnit.NANOSECONDS, executor)
        .execute(this::run);
  }

  private void run() {
    var refresh = start();
    var isDone = false;
    refreshes.increment();
    try {
      keys.refresh();
      isDone = true;
    } catch (PostgresUnavailable e) {
      LOG.warn("Unknown API keys cannot be looked up, callers get 503: {}", e.getMessage());
    } finally {
      end();
      refresh.isDone.complete(isDone);
    }
  }

  private synchronized Refresh start() {
    var refresh = next;
    next = null;
    startedAt = System.nanoTime();
    return refresh == null ? new Refresh() : refresh;
  }

  private synchronized void end() {
    isRunning = false;
    if (next != null) {
      schedule();
    }
  }

  private static final class Refresh {
    final CompletableFuture<Boolean> isDone = new CompletableFuture<>();
    int waiting;
  }
}
