package io.holdfast.hold;

import io.holdfast.activity.ActivePools;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.PoolName;
import io.holdfast.redis.RedisUnavailable;
import io.holdfast.runtime.Overloaded;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/// Notes from the replies of scripts which pools have something to do. A call that was lost, whose
/// reply is null, may have been carried out.
@Singleton
final class ScriptActivity {
  private static final String HELD = "HELD\t";
  private static final String PINNED = "PINNED\t";

  /// The sweep looks at a pool without holds after so long, and then when a bucket is over.
  private static final Duration BUCKET_LOOK = Duration.ofMinutes(5);

  private final ActivePools active;

  ScriptActivity(ActivePools active) {
    this.active = active;
  }

  /// A token was spent: the outcome is a line of the journal, a hold has a lease, and the token has
  /// a bucket that has to go one day.
  void spent(PoolName pool, @Nullable String reply, @Nullable Throwable failure) {
    if (reply == null) {
      if (mayBeDone(failure)) {
        active.changed(pool);
      }
      return;
    }
    active.wrote(pool);
    active.due(
        pool,
        reply.startsWith(HELD)
            ? HoldRecord.leaseUntilMs(reply.substring(HELD.length()))
            : System.currentTimeMillis() + BUCKET_LOOK.toMillis());
  }

  /// A pin is due at its deadline, which may be before what the hold was due at.
  void pinned(PoolName pool, @Nullable String reply, @Nullable Throwable failure) {
    if (reply == null) {
      if (mayBeDone(failure)) {
        active.due(pool, 0);
      }
    } else if (reply.startsWith(PINNED)) {
      active.due(pool, Long.parseLong(reply.split("\t", 3)[1]));
    }
  }

  /// A sweep that ended holds has written lines.
  void swept(PoolName pool, @Nullable List<String> reply) {
    if (reply == null || reply.size() > 1) {
      active.wrote(pool);
    }
  }

  private static boolean mayBeDone(@Nullable Throwable failure) {
    var cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return !(cause instanceof Overloaded)
        && !(cause instanceof RedisUnavailable lost && lost.isDefinite());
  }

  void wrote(PoolName pool) {
    active.wrote(pool);
  }

  void due(PoolName pool, long ms) {
    active.due(pool, ms);
  }
}
