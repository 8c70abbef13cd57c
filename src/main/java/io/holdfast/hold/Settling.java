package io.holdfast.hold;

import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.PoolName;
import io.holdfast.redis.RedisUnavailable;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Tells Redis what Postgres has decided. Nothing hangs on it at once: what Redis is not told now
/// it is told by the relay or by the next seeding, so these calls end with whether they arrived,
/// and never fail.
@Singleton
final class Settling {
  private static final Logger LOG = LoggerFactory.getLogger(Settling.class);

  private final HoldScripts scripts;

  Settling(HoldScripts scripts) {
    this.scripts = scripts;
  }

  CompletionStage<Boolean> settle(Settlement settlement) {
    return scripts
        .settle(
            settlement.pool(), settlement.fence(), settlement.tokenKey(), settlement.arguments())
        .handle((reply, failure) -> hasArrived("SETTLED", reply, failure));
  }

  /// The pin came to nothing, and Postgres has written the next number.
  CompletionStage<Boolean> unpin(PoolName pool, HoldRecord pinned, long next) {
    return scripts
        .unpin(pool, pinned.fence(), pinned.pinNo(), next)
        .handle((reply, failure) -> hasArrived("UNPINNED", reply, failure));
  }

  private static boolean hasArrived(
      String word, @Nullable List<Object> reply, @Nullable Throwable failure) {
    if (failure != null && !(failure instanceof RedisUnavailable)) {
      LOG.error("Redis could not be told of a decision; the relay tries again", failure);
    }
    return reply != null && word.equals(reply.getFirst());
  }
}
