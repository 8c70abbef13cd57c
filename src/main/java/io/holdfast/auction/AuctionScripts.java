package io.holdfast.auction;

import io.holdfast.auction.LeaderBoard.Board;
import io.holdfast.pool.Epoch;
import io.holdfast.pool.Fence;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.PoolCounts;
import io.holdfast.pool.PoolName;
import io.holdfast.redis.RedisScripts;
import io.holdfast.redis.Script;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletionStage;

/// Calls the scripts of `redis-scripts/auction/` that concern the whole auction, and reads their
/// replies. `HoldScripts` places bids. A call fails with `RedisUnavailable` and may be repeated.
@Singleton
final class AuctionScripts {
  private static final Script CLOSE = Script.named("auction/close");
  private static final Script TOP = Script.named("auction/top");

  private final RedisScripts scripts;

  AuctionScripts(RedisScripts scripts) {
    this.scripts = scripts;
  }

  /// The result of `close`.
  sealed interface CloseReply {
    /// No more bids are taken.
    ///
    /// @param lapsed bids whose lease ended before the close and that are not swept yet
    record Stopped(Epoch epoch, Fence last, Instant closedAt, long lapsed) implements CloseReply {}

    /// It is not time yet.
    record Early() implements CloseReply {}

    /// @param why LOST, MOVED or SEEDING
    record NotOpen(String why) implements CloseReply {}
  }

  /// @param isEarly whether to close also before the time of the auction
  CompletionStage<CloseReply> close(PoolName pool, boolean isEarly) {
    return scripts.call(CLOSE, pool, isEarly ? "NOW" : "DUE").thenApply(AuctionScripts::stopping);
  }

  private static CloseReply stopping(List<String> texts) {
    var reply = texts.getFirst().split("\t", -1);
    return switch (reply[0]) {
      case "CLOSED" -> stopped(reply);
      case "EARLY" -> new CloseReply.Early();
      default -> new CloseReply.NotOpen(reply[1]);
    };
  }

  private static CloseReply stopped(String[] reply) {
    return new CloseReply.Stopped(
        new Epoch(Long.parseLong(reply[1])),
        Fence.parse(reply[2]),
        Instant.ofEpochMilli(Long.parseLong(reply[3])),
        Long.parseLong(reply[4]));
  }

  /// The result of `top`.
  sealed interface Top {
    record Open(Board board) implements Top {}

    /// @param why LOST, MOVED or SEEDING
    record NotOpen(String why) implements Top {}
  }

  CompletionStage<Top> top(PoolName pool, int most) {
    return scripts.call(TOP, pool, Integer.toString(most)).thenApply(AuctionScripts::board);
  }

  private static Top board(List<String> texts) {
    var head = texts.getFirst().split("\t", -1);
    return head[0].equals("TOP")
        ? new Top.Open(
            new Board(
                new PoolCounts(Long.parseLong(head[1]), Long.parseLong(head[2]), 0, 0, null)
                    .number(),
                Long.parseLong(head[3]),
                Instant.ofEpochMilli(Long.parseLong(head[4])),
                head[5].equals("OPEN"),
                texts.stream().skip(1).map(HoldRecord::parse).toList()))
        : new Top.NotOpen(head[1]);
  }
}
