package io.holdfast.commitment.auction;

import io.holdfast.commitment.sequence.Sequenced;
import io.holdfast.pool.Epoch;
import java.time.Instant;

/// The end of an auction in Redis: no bid of the epoch has a higher sequence.
///
/// @param closedAt when bids were no longer taken, by Redis' clock
public record AuctionClose(Epoch epoch, long sequence, Instant closedAt) implements Sequenced {}
