package io.holdfast.commitment.auction;

import io.holdfast.pool.PoolName;

/// The journal has not brought all bids to Postgres, or Redis was lost since the bids were stopped.
/// Nothing was written; the close has to begin again.
public final class AuctionNotDrained extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final boolean isEpochOver;

  private AuctionNotDrained(PoolName pool, String why, boolean isEpochOver) {
    super("auction %s is not closed yet: %s; the close begins again".formatted(pool, why));
    this.isEpochOver = isEpochOver;
  }

  static AuctionNotDrained epochIsOver(PoolName pool) {
    return new AuctionNotDrained(pool, "Redis was lost since its bids were stopped", true);
  }

  static AuctionNotDrained linesAreMissing(PoolName pool) {
    return new AuctionNotDrained(pool, "its journal is not drained", false);
  }

  /// Postgres has a newer epoch than the Redis that stopped the bids.
  public boolean isEpochOver() {
    return isEpochOver;
  }
}
