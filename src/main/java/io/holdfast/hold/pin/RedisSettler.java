package io.holdfast.hold.pin;

import io.holdfast.hold.HoldScripts;
import io.holdfast.hold.HoldScripts.Applied;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.PoolName;
import io.holdfast.redis.RedisUnavailable;
import io.holdfast.runtime.Overloaded;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Applies decisions of Postgres to Redis. The methods return whether Redis has applied the
/// decision and never fail: the outbox relay or the next seeding applies what is missed here.
@Singleton
public final class RedisSettler {
  private static final Logger LOG = LoggerFactory.getLogger(RedisSettler.class);

  private final HoldScripts scripts;
  private final Counter misses;

  RedisSettler(HoldScripts scripts, MeterRegistry meters) {
    this.scripts = scripts;
    this.misses =
        Counter.builder("holdfast.settle.misses")
            .description("Decisions of Postgres that Redis did not take, to be applied later")
            .register(meters);
  }

  public CompletionStage<Boolean> settle(SettleCommand command) {
    return scripts
        .settle(command)
        .handle(RedisSettler::isApplied)
        .whenComplete(
            (isApplied, _) -> {
              if (!isApplied) {
                misses.increment();
              }
            });
  }

  /// Unpins a hold that was not sold.
  ///
  /// @param next pin number that Postgres has written
  public CompletionStage<Boolean> unpin(PoolName pool, HoldRecord pinned, long next) {
    return scripts
        .unpin(pool, pinned.fence(), pinned.pinNo(), next)
        .handle(RedisSettler::isApplied);
  }

  /// Unpins a hold that a checkout has given back.
  ///
  /// @param record with the pin number that Postgres has written; a hold that is not pinned at the
  ///   number before needs no change
  public CompletionStage<Boolean> unclaim(PoolName pool, HoldRecord record) {
    return scripts
        .unpin(pool, record.fence(), record.pinNo() - 1, record.pinNo())
        .handle((applied, failure) -> isApplied(applied, failure) || applied == Applied.OTHER_PIN);
  }

  /// Keeps a hold that a checkout has claimed.
  CompletionStage<Boolean> keep(PoolName pool, HoldRecord pinned, Instant until) {
    return scripts
        .keep(pool, pinned.fence(), pinned.pinNo(), until)
        .handle(RedisSettler::isApplied);
  }

  private static boolean isApplied(@Nullable Applied applied, @Nullable Throwable failure) {
    var cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (cause != null && !(cause instanceof RedisUnavailable || cause instanceof Overloaded)) {
      LOG.error(
          "A decision of Postgres could not be applied to Redis; the relay tries again", cause);
    }
    return applied == Applied.YES;
  }
}
