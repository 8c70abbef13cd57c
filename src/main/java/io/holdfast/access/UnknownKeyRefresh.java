package io.holdfast.access;

import io.holdfast.access.AuthResult.KeyStoreUnavailable;
import io.holdfast.access.AuthResult.Known;
import io.holdfast.access.AuthResult.UnknownKey;
import io.holdfast.idempotency.DuplicateGuard;
import io.holdfast.idempotency.GuardResult;
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

/// What happens to a key that the ring does not hold: it may have been made elsewhere a moment ago.
/// All who wait share one look at Postgres, and looks keep a distance, so however many guess at
/// keys, Postgres is asked some ten times a second and no more.
@Singleton
final class UnknownKeyRefresh {
  private static final Logger LOG = LoggerFactory.getLogger(UnknownKeyRefresh.class);

  private static final Duration DISTANCE = Duration.ofMillis(100);
  private static final int WAITING_MAX = 1_000;

  private final ApiKeyCache ring;
  private final ExecutorService executor;
  private final DuplicateGuard strangers;
  private final Counter looks;

  private @Nullable Waiting waiting;
  private boolean isLooking;
  private long lookedAt = System.nanoTime() - DISTANCE.toNanos();

  UnknownKeyRefresh(
      ApiKeyCache ring,
      @Named(AccessFactory.UNKNOWN_KEYS) DuplicateGuard strangers,
      @Named(TaskExecutors.BLOCKING) ExecutorService executor,
      MeterRegistry meters) {
    this.ring = ring;
    this.strangers = strangers;
    this.executor = executor;
    this.looks =
        Counter.builder("holdfast.keys.second.looks")
            .description("How often Postgres was asked because of keys that are not known here")
            .register(meters);
  }

  CompletionStage<AuthResult> at(ApiKeyHash hash) {
    if (strangers.check(hash.toString()) == GuardResult.SEEN) {
      return CompletableFuture.completedStage(new UnknownKey());
    }
    return nextLook().thenApply(isDone -> isDone ? judge(hash) : new KeyStoreUnavailable());
  }

  private AuthResult judge(ApiKeyHash hash) {
    var caller = ring.find(hash);
    if (caller != null) {
      return new Known(caller);
    }
    strangers.record(hash.toString());
    return new UnknownKey();
  }

  /// A look that begins after this call, so that it sees what was committed before it.
  private synchronized CompletionStage<Boolean> nextLook() {
    if (waiting == null) {
      waiting = new Waiting();
      if (!isLooking) {
        schedule();
      }
    }
    return ++waiting.count > WAITING_MAX ? CompletableFuture.completedStage(false) : waiting.isDone;
  }

  private void schedule() {
    isLooking = true;
    var rest = DISTANCE.toNanos() - (System.nanoTime() - lookedAt);
    CompletableFuture.delayedExecutor(Math.max(0, rest), TimeUnit.NANOSECONDS, executor)
        .execute(this::look);
  }

  private void look() {
    var served = begin();
    var isDone = false;
    looks.increment();
    try {
      ring.refresh();
      isDone = true;
    } catch (PostgresUnavailable e) {
      LOG.warn("Unknown API keys cannot be looked up, callers get 503: {}", e.getMessage());
    } finally {
      end();
      served.isDone.complete(isDone);
    }
  }

  private synchronized Waiting begin() {
    var served = waiting;
    waiting = null;
    lookedAt = System.nanoTime();
    return served == null ? new Waiting() : served;
  }

  private synchronized void end() {
    isLooking = false;
    if (waiting != null) {
      schedule();
    }
  }

  private static final class Waiting {
    final CompletableFuture<Boolean> isDone = new CompletableFuture<>();
    int count;
  }
}
