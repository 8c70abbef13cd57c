package io.holdfast.commitment.auction;

import io.holdfast.pool.PoolName;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// An auction and its result.
///
/// @param isClosing whether the operator has asked for the close
/// @param isOver whether its time has come, by Postgres' clock
/// @param result null before the close
public record Auction(
    PoolName pool,
    Instant closesAt,
    long reserveCents,
    boolean isClosing,
    boolean isOver,
    @Nullable Result result) {

  /// @param closedAt when bids were no longer taken, by Redis' clock
  /// @param lastSequence no bid with a higher fence takes part
  /// @param bids that were live at the close
  /// @param redisLosses how often Redis was lost or replaced while the auction ran
  /// @param winner null if no bid met the reserve
  public record Result(
      Instant closedAt, long lastSequence, long bids, long redisLosses, @Nullable Winner winner) {}

  public record Winner(String bidId, String requester, long amountCents, long sequence) {
    public String commitmentId() {
      return "cm~" + bidId;
    }
  }
}
