package io.holdfast.commitment.auction;

import io.holdfast.pool.PoolName;

/// The journal has not brought all bids to Postgres, or Redis was lost since the bids were stopped.
/// Nothing was written; the close has to begin again.
public final class AuctionNotDrained extends RuntimeException {
  private static final long serialVersionUID = 1L;

  AuctionNotDrained(PoolName pool, String why) {
    super("auction %s is not closed yet: %s; the close begins again".formatted(pool, why));
  }
}
