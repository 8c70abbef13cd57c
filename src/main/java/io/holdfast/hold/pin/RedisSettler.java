package io.holdfast.hold.pin;

import io.holdfast.hold.HoldScripts;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.PoolName;
import io.holdfast.redis.RedisUnavailable;
import io.holdfast.runtime.Overloaded;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Tells Redis what Postgres has decided. Nothing hangs on it at once: what Redis is not told now
/// it is told by the relay or by the next seeding, so these calls end with whether they arrived,
/// and never fail.
@Singleton
public final class RedisSettler {
  private static final Logger LOG = LoggerFactory.getLogger(RedisSettler.class);

  private final HoldScripts scripts;

  RedisSettler(HoldScripts scripts) {
    this.scripts = scripts;
  }

  public CompletionStage<Boolean> settle(SettleCommand settlement) {
    return scripts
        .settle(settlement)
        .handle((reply, failure) -> hasArrived("SETTLED", reply, failure));
  }

  /// The pin came to nothing, and Postgres has written the next number.
  public CompletionStage<Boolean> unpin(PoolName pool, HoldRecord pinned, long next) {
    return scripts
        .unpin(pool, pinned.fence(), pinned.pinNo(), next)
        .handle((reply, failure) -> hasArrived("UNPINNED", reply, failure));
  }

  /// A checkout has given it back, at the number that it has on record. That it is not pinned at
  /// the number before is as good.
  public CompletionStage<Boolean> unclaim(PoolName pool, HoldRecord record) {
    return scripts
        .unpin(pool, record.fence(), record.pinNo() - 1, record.pinNo())
        .handle(
            (reply, failure) ->
                hasArrived("UNPINNED", reply, failure) || hasArrived("OTHER", reply, null));
  }

  /// A checkout has claimed it, until then at most.
  CompletionStage<Boolean> keep(PoolName pool, HoldRecord pinned, Instant until) {
    return scripts
        .keep(pool, pinned.fence(), pinned.pinNo(), until)
        .handle((reply, failure) -> hasArrived("KEPT", reply, failure));
  }

  private static boolean hasArrived(
      String word, @Nullable String reply, @Nullable Throwable failure) {
    var cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (cause != null && !(cause instanceof RedisUnavailable || cause instanceof Overloaded)) {
      LOG.error("Redis could not be told of a decision; the relay tries again", cause);
    }
    return word.equals(reply);
  }
}
