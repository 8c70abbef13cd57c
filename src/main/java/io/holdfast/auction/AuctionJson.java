package io.holdfast.auction;

import io.holdfast.commitment.auction.Auction;
import io.holdfast.events.EventJson;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.PoolName;
import io.micronaut.serde.annotation.Serdeable;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Bids and results of auctions in responses.
final class AuctionJson {
  private AuctionJson() {}

  @Serdeable
  @Schema(name = "Bid")
  record Bid(
      String bidId,
      String requester,
      long amountCents,
      @Schema(description = "Of equal amounts the lower sequence wins.") long sequence) {
    static Bid of(PoolName pool, HoldRecord hold) {
      return new Bid(
          hold.id(pool).toString(),
          hold.requester(),
          Objects.requireNonNull(hold.bid()).amountCents(),
          hold.fence().value());
    }
  }

  @Serdeable
  @Schema(name = "Bids")
  record Bids(List<Bid> bids) {}

  /// The response to a bid, for the description of the API.
  @Serdeable
  @Schema(name = "PlacedBid")
  record PlacedBid(
      String bidId,
      long sequence,
      long amountCents,
      @Schema(description = "Whether it was the highest bid when it was placed.") boolean leading,
      String leaseUntil,
      String expiresAt,
      long heartbeatSeconds) {}

  @Serdeable
  @Schema(name = "AuctionResult")
  record Result(
      String pool,
      @Schema(description = "Null if no bid met the reserve.") @Nullable Bid winner,
      @Nullable String commitmentId,
      String closedAt,
      @Schema(description = "No bid with a higher sequence took part.") long lastSequence,
      @Schema(description = "How many bids were live at the close.") long bids,
      @Schema(
              description =
                  "`possible` if Redis was lost or replaced while the auction ran: bids of the last"
                      + " moments before that may be missing. Otherwise `none`.")
          String bidsLost,
      @Schema(description = "How often Redis was lost or replaced.") long redisLosses) {

    /// @param auction with its result
    static Result of(Auction auction) {
      var result = Objects.requireNonNull(auction.result());
      var winner = result.winner();
      return new Result(
          auction.pool().value(),
          winner == null
              ? null
              : new Bid(
                  winner.bidId(), winner.requester(), winner.amountCents(), winner.sequence()),
          winner == null ? null : winner.commitmentId(),
          EventJson.timestamp(result.closedAt()),
          result.lastSequence(),
          result.bids(),
          result.redisLosses() == 0 ? "none" : "possible",
          result.redisLosses());
    }
  }
}
