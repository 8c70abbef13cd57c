package io.holdfast.seatmap;

import io.holdfast.hold.HoldOutcome;
import io.holdfast.hold.HoldOutcome.Away;
import io.holdfast.hold.HoldOutcome.Stands;
import io.holdfast.hold.HoldService;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolCounts;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.redis.RedisUnavailable;
import io.micronaut.scheduling.TaskExecutors;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;

/// Where one looks how a pool stands, for those who look again and again. As long as nothing has
/// changed, a look is one short call to Redis. A pool that Redis has lost is seeded on the way.
@Singleton
public final class SeatMapPoller {
  private final HoldService desk;
  private final SeatMapReader map;
  private final ExecutorService executor;

  SeatMapPoller(
      HoldService desk,
      SeatMapReader map,
      @Named(TaskExecutors.BLOCKING) ExecutorService executor) {
    this.desk = desk;
    this.map = map;
    this.executor = executor;
  }

  /// What a look comes to.
  public sealed interface Sight {

    /// Nothing has changed.
    record Same() implements Sight {}

    record Changed(SeatMapSnapshot picture) implements Sight {}

    /// A server that is needed does not answer, or the pool is being brought into Redis.
    record Nothing(String why) implements Sight {}
  }

  /// A picture of unrest has a tag that no standing has, so it is drawn again until it is right.
  ///
  /// @param known the tag of the picture that the caller has; empty for none
  public CompletionStage<Sight> look(Pool pool, String known) {
    return desk.standing(pool)
        .thenCompose(
            decision ->
                switch (decision.outcome()) {
                  case Stands(var standing) when SeatMapSnapshot.etag(standing).equals(known) ->
                      now(new Sight.Same());
                  case Stands(var standing) ->
                      CompletableFuture.supplyAsync(() -> drawn(pool, standing), executor);
                  case Away(_, var why) -> now(new Sight.Nothing(why));
                  case HoldOutcome other -> throw new IllegalStateException("" + other);
                });
  }

  private Sight drawn(Pool pool, PoolCounts standing) {
    try {
      return map.picture(pool, standing)
          .<Sight>map(Sight.Changed::new)
          .orElseGet(() -> new Sight.Nothing("the pool is being brought into Redis"));
    } catch (RedisUnavailable e) {
      return new Sight.Nothing("the intent layer gave no answer");
    } catch (PostgresUnavailable e) {
      return new Sight.Nothing("Postgres gave no answer");
    }
  }

  private static CompletionStage<Sight> now(Sight sight) {
    return CompletableFuture.completedStage(sight);
  }
}
