package io.holdfast.commitment.auction;

import io.holdfast.commitment.ArtifactHash;
import io.holdfast.commitment.claim.CheckoutSaleVerifier;
import io.holdfast.commitment.sequence.SequenceProcessor;
import io.holdfast.commitment.sequence.SequenceQueue;
import io.holdfast.events.EventWriter;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.Pool;
import jakarta.inject.Singleton;
import java.util.Optional;

/// Decides auctions in Postgres, each once: two closers, or one that died half-way and its
/// successor, get the same result.
@Singleton
public final class AuctionLedger {
  private final SequenceProcessor processor;
  private final AuctionTable table;
  private final CheckoutSaleVerifier verifier;
  private final ArtifactHash artifact;
  private final EventWriter events;

  AuctionLedger(
      SequenceProcessor processor,
      AuctionTable table,
      CheckoutSaleVerifier verifier,
      ArtifactHash artifact,
      EventWriter events) {
    this.processor = processor;
    this.table = table;
    this.verifier = verifier;
    this.artifact = artifact;
    this.events = events;
  }

  /// Commits the close that the queue has. Returns the auction with its result, or empty if there
  /// is none yet: bids are still taken.
  ///
  /// @throws AuctionNotDrained if bids may be missing in Postgres
  public Optional<Auction> decide(Pool pool, SequenceQueue<AuctionClose> queue) {
    processor.process(pool.name(), queue, new AuctionSale(pool, artifact, events), 1);
    return table.find(pool.name()).filter(auction -> auction.result() != null);
  }

  /// Verifies the sale of an auction, as every sale is after its commit.
  public void verify(Auction auction) {
    if (auction.result() != null && auction.result().winner() != null) {
      verifier.isWhole(HoldId.parse(auction.result().winner().bidId()).orElseThrow());
    }
  }
}
