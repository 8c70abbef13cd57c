package io.holdfast.access.jwt;

import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKMatcher;
import com.nimbusds.jose.jwk.JWKSelector;
import com.nimbusds.jose.jwk.JWKSet;
import io.holdfast.access.AccessFactory;
import io.holdfast.idempotency.DuplicateGuard;
import io.holdfast.idempotency.GuardResult;
import io.holdfast.runtime.StartFailure;
import io.holdfast.runtime.StartupTask;
import io.micronaut.scheduling.TaskExecutors;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The public keys that JWTs are signed with, in memory. They are read at the start, when a key is
/// asked for that is not among them, and when they have become old; by one thread at a time, not
/// more often than the settings say, and never on an event loop. While they cannot be read, those
/// of the last time go on to count for a day.
@Singleton
final class Jwks implements StartupTask {
  private static final Logger LOG = LoggerFactory.getLogger(Jwks.class);

  private static final Duration OLD = Duration.ofMinutes(5);
  private static final Duration TOO_OLD = Duration.ofDays(1);

  private final @Nullable JwkReader reader;
  private final DuplicateGuard looks;
  private final ExecutorService executor;

  private volatile Held held = new Held(new JWKSet(), System.nanoTime() - TOO_OLD.toNanos(), false);
  private @Nullable CompletableFuture<Void> look;

  Jwks(
      JwtSettings settings,
      @Named(AccessFactory.JWKS_LOOKS) DuplicateGuard looks,
      @Named(TaskExecutors.BLOCKING) ExecutorService executor) {
    this.reader = settings.jwks().map(JwkReader::new).orElse(null);
    this.looks = looks;
    this.executor = executor;
  }

  /// What looking for the keys of a JWT can come to.
  sealed interface Found {
    /// Those that may have signed it; none if there is no such key.
    record Keys(List<JWK> keys) implements Found {}

    /// Nobody can tell now.
    record Away() implements Found {}
  }

  /// Whether any JWT counts here.
  boolean areRead() {
    return reader != null;
  }

  /// A file has to be there from the start. A server that is away must not keep us from starting.
  @Override
  public void atStart() {
    if (reader == null) {
      return;
    }
    if (reader.isFile()) {
      try {
        held = new Held(reader.read(), System.nanoTime(), true);
      } catch (IOException e) {
        throw new StartFailure(
            "The keys of JWTs cannot be read from %s (%s); mend HOLDFAST_JWKS."
                .formatted(reader.from(), e.getMessage()),
            e);
      }
    } else {
      look();
    }
  }

  CompletionStage<Found> find(JWSHeader header) {
    var selector = new JWKSelector(JWKMatcher.forJWSHeader(header));
    var present = held;
    var keys = present.isTooOld() ? List.<JWK>of() : selector.select(present.keys);
    if (keys.isEmpty()) {
      return look().thenApply(_ -> held.found(selector));
    }
    if (present.isOld()) {
      look(); // whoever comes later has use for it
    }
    return CompletableFuture.completedStage(new Found.Keys(keys));
  }

  /// Done when the keys have been read, or at once if that was tried a moment ago.
  private synchronized CompletionStage<Void> look() {
    if (look != null) {
      return look;
    }
    var from = Objects.requireNonNull(reader).from();
    if (looks.check(from) == GuardResult.SEEN) {
      return CompletableFuture.completedStage(null);
    }
    looks.record(from);
    var begun = CompletableFuture.runAsync(this::read, executor);
    look = begun;
    begun.whenComplete((_, _) -> end());
    return begun;
  }

  private synchronized void end() {
    look = null;
  }

  private void read() {
    try {
      held = new Held(Objects.requireNonNull(reader).read(), System.nanoTime(), true);
    } catch (IOException e) {
      LOG.warn("The keys of JWTs cannot be read; those of the last time go on to count", e);
      held = new Held(held.keys, held.readAt, false);
    }
  }

  /// @param isCurrent whether the last look has succeeded
  private record Held(JWKSet keys, long readAt, boolean isCurrent) {

    boolean isOld() {
      return System.nanoTime() - readAt > OLD.toNanos();
    }

    boolean isTooOld() {
      return System.nanoTime() - readAt >= TOO_OLD.toNanos();
    }

    Found found(JWKSelector selector) {
      var found = isTooOld() ? List.<JWK>of() : selector.select(keys);
      return found.isEmpty() && !isCurrent ? new Found.Away() : new Found.Keys(found);
    }
  }
}
