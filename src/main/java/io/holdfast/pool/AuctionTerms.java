package io.holdfast.pool;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/// What a pool of the kind AUCTION sells: one lot, to the highest bid at its close.
///
/// @param closesAt bids are taken before this time of Redis' clock; the operator may close earlier
/// @param reserveCents a lower bid does not win
public record AuctionTerms(Instant closesAt, long reserveCents) {
  /// The only item of an auction. It has no price: the price of the sale is the winner's bid.
  public static final ItemId LOT = new ItemId("lot");

  /// No auction runs longer.
  public static final Duration LONGEST = Duration.ofDays(366);

  public static final long CENTS_MAX = 1_000_000_000_000L;

  public AuctionTerms {
    closesAt = closesAt.truncatedTo(ChronoUnit.MILLIS);
    if (reserveCents < 0 || reserveCents > CENTS_MAX) {
      throw new IllegalArgumentException(
          "reserveCents must lie between 0 and %d, was %d".formatted(CENTS_MAX, reserveCents));
    }
  }
}
