package io.holdfast.commitment.auction;

import io.holdfast.events.Event;
import io.holdfast.events.EventType;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The event of a closed auction. It names no person: `hold.confirmed` has the winner.
final class AuctionEvents {
  private AuctionEvents() {}

  /// @param auction with its result
  static Event closed(Auction auction, String currency) {
    var result = auction.result();
    var winner = result.winner();
    var data = new LinkedHashMap<String, @Nullable Object>();
    data.put("pool", auction.pool().value());
    data.put("closesAt", auction.closesAt());
    data.put("closedAt", result.closedAt());
    data.put("reserveCents", auction.reserveCents());
    data.put("lastSequence", result.lastSequence());
    data.put("bids", result.bids());
    data.put("redisLosses", result.redisLosses());
    data.put("winningBid", winner == null ? null : winner.bidId());
    data.put("winningCents", winner == null ? null : winner.amountCents());
    data.put("winningSequence", winner == null ? null : winner.sequence());
    data.put("commitmentId", winner == null ? null : winner.commitmentId());
    data.put("currency", currency);
    return Event.createFatEvent(
        EventType.AUCTION_CLOSED, auction.pool(), auction.pool().value(), Map.of("auction", data));
  }
}
