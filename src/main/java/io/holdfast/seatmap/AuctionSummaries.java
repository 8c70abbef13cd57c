package io.holdfast.seatmap;

import io.holdfast.auction.LeaderBoard;
import io.holdfast.auction.LeaderBoard.Board;
import io.holdfast.catalogue.PoolJson.Auction.State;
import io.holdfast.commitment.auction.AuctionTable;
import io.holdfast.events.EventJson;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolCounts;
import io.holdfast.pool.PoolKind;
import io.holdfast.seeding.ScriptReplies;
import jakarta.inject.Singleton;
import java.util.Objects;

/// What the seat map shows of an auction: its leader, the number of bids, and its state. For
/// threads that may block.
@Singleton
final class AuctionSummaries {
  private final LeaderBoard boards;
  private final AuctionTable table;

  AuctionSummaries(LeaderBoard boards, AuctionTable table) {
    this.boards = boards;
    this.table = table;
  }

  /// @param json a member of an object; empty for a pool that is not an auction
  /// @param isConsistent whether it belongs to the same state of the pool as the counts
  /// @param isClosing whether it will change without a change of the counts
  record Summary(String json, boolean isConsistent, boolean isClosing) {
    static final Summary NONE = new Summary("", true, false);
  }

  Summary of(Pool pool, PoolCounts counts) {
    if (pool.kind() != PoolKind.AUCTION) {
      return Summary.NONE;
    }
    var board = ScriptReplies.await(boards.top(pool, 1));
    var state = state(pool, board);
    var isClosing = state == State.CLOSING;
    return new Summary(
        json(board, state), board.number() == counts.number() && !isClosing, isClosing);
  }

  /// Postgres is asked only after the close.
  private State state(Pool pool, Board board) {
    if (board.isOpen()) {
      return State.OPEN;
    }
    var isDecided = table.find(pool.name()).filter(each -> each.result() != null).isPresent();
    return isDecided ? State.CLOSED : State.CLOSING;
  }

  private static String json(Board board, State state) {
    var leader =
        board.highest().stream()
            .findFirst()
            .map(
                bid ->
                    "{\"amountCents\":%d,\"sequence\":%d}"
                        .formatted(
                            Objects.requireNonNull(bid.bid()).amountCents(), bid.fence().value()))
            .orElse("null");
    return "\"auction\":{\"state\":\"%s\",\"closesAt\":\"%s\",\"bids\":%d,\"leader\":%s}"
        .formatted(state, EventJson.timestamp(board.closesAt()), board.count(), leader);
  }
}
