package io.holdfast.auction;

import io.holdfast.auction.AuctionScripts.Top;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.Pool;
import io.holdfast.redis.RedisUnavailable;
import io.holdfast.seeding.PoolSeeder;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/// Reads the highest bids of an auction. A pool that is not open in Redis is seeded first.
@Singleton
public final class LeaderBoard {
  private final AuctionScripts scripts;
  private final PoolSeeder seeder;

  LeaderBoard(AuctionScripts scripts, PoolSeeder seeder) {
    this.scripts = scripts;
    this.seeder = seeder;
  }

  /// @param number of the state of the pool, as in `PoolCounts`
  /// @param count number of bids
  /// @param closesAt when bids are no longer taken, or were
  /// @param isOpen whether bids are taken
  /// @param highest the leader first
  public record Board(
      long number, long count, Instant closesAt, boolean isOpen, List<HoldRecord> highest) {
    public Board {
      highest = List.copyOf(highest);
    }
  }

  /// Fails with `RedisUnavailable`.
  public CompletionStage<Board> top(Pool pool, int most) {
    return scripts
        .top(pool.name(), most)
        .thenCompose(
            top ->
                top instanceof Top.NotOpen(var why)
                    ? seeder.open(pool, why).thenCompose(_ -> scripts.top(pool.name(), most))
                    : CompletableFuture.completedStage(top))
        .thenApply(LeaderBoard::board);
  }

  private static Board board(Top top) {
    return switch (top) {
      case Top.Open(var board) -> board;
      case Top.NotOpen(var why) ->
          throw RedisUnavailable.notSent(new IllegalStateException("the pool is not open: " + why));
    };
  }
}
