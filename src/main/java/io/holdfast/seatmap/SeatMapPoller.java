package io.holdfast.seatmap;

import io.holdfast.catalogue.PoolRegistry;
import io.holdfast.hold.HoldOutcome;
import io.holdfast.hold.HoldOutcome.Away;
import io.holdfast.hold.HoldOutcome.Counted;
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

/// Polls the seat map of a pool. While nothing has changed, a poll is one short call to Redis. A
/// pool that Redis has lost is seeded by the poll.
@Singleton
final class SeatMapPoller {
  private final HoldService holds;
  private final SeatMapReader reader;
  private final PoolRegistry pools;
  private final ExecutorService executor;

  SeatMapPoller(
      HoldService holds,
      SeatMapReader reader,
      PoolRegistry pools,
      @Named(TaskExecutors.BLOCKING) ExecutorService executor) {
    this.holds = holds;
    this.reader = reader;
    this.pools = pools;
    this.executor = executor;
  }

  /// The result of a poll.
  sealed interface PollResult {

    record Same() implements PollResult {}

    record Changed(SeatMapSnapshot snapshot) implements PollResult {}

    /// A server does not answer, or the pool is being loaded into Redis.
    record Unavailable(String why) implements PollResult {}
  }

  /// A snapshot taken during changes has a content ETag, so the next poll reads again.
  ///
  /// @param known the ETag of the caller's snapshot; empty for none
  CompletionStage<PollResult> poll(Pool pool, String known) {
    return holds
        .count(pool)
        .thenCompose(
            outcome ->
                switch (outcome) {
                  case Counted(var counts) when SeatMapSnapshot.etag(counts).equals(known) ->
                      now(new PollResult.Same());
                  case Counted(var counts) ->
                      CompletableFuture.supplyAsync(() -> read(pool, counts), executor);
                  case Away(_, var why) -> now(new PollResult.Unavailable(why));
                  case HoldOutcome other -> throw new IllegalStateException("" + other);
                });
  }

  private PollResult read(Pool pool, PoolCounts counts) {
    try {
      return reader
          .snapshot(pools.current(pool, counts.rules()), counts)
          .<PollResult>map(PollResult.Changed::new)
          .orElseGet(() -> new PollResult.Unavailable("the pool is being loaded into Redis"));
    } catch (RedisUnavailable e) {
      return new PollResult.Unavailable("the intent layer gave no answer");
    } catch (PostgresUnavailable e) {
      return new PollResult.Unavailable("Postgres gave no answer");
    }
  }

  private static CompletionStage<PollResult> now(PollResult result) {
    return CompletableFuture.completedStage(result);
  }
}
