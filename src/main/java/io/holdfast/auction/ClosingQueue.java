package io.holdfast.auction;

import io.holdfast.auction.AuctionScripts.CloseReply;
import io.holdfast.auction.AuctionScripts.CloseReply.Early;
import io.holdfast.auction.AuctionScripts.CloseReply.NotOpen;
import io.holdfast.auction.AuctionScripts.CloseReply.Stopped;
import io.holdfast.commitment.auction.AuctionClose;
import io.holdfast.commitment.sequence.SequenceQueue;
import io.holdfast.hold.HoldService;
import io.holdfast.journal.JournalDrainer;
import io.holdfast.journal.JournalDrainer.DrainOutcome.Emptied;
import io.holdfast.pool.Pool;
import io.holdfast.redis.RedisUnavailable;
import io.holdfast.seeding.PoolSeeder;
import io.holdfast.seeding.ScriptReplies;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The close of one auction as a queue of at most one entry. Its head is ready to be committed:
/// bids are stopped, lapsed ones are ended, and the journal is drained. Each step may be repeated.
final class ClosingQueue implements SequenceQueue<AuctionClose> {
  private static final Logger LOG = LoggerFactory.getLogger(ClosingQueue.class);

  /// A sweep ends up to 100 bids, and an auction has at most 10,000.
  private static final int SWEEPS_MAX = 200;

  private final Pool pool;
  private final boolean isEarly;
  private final AuctionScripts scripts;
  private final PoolSeeder seeder;
  private final HoldService holds;
  private final JournalDrainer drainer;

  /// @param isEarly whether to close also before the time of the auction
  ClosingQueue(
      Pool pool,
      boolean isEarly,
      AuctionScripts scripts,
      PoolSeeder seeder,
      HoldService holds,
      JournalDrainer drainer) {
    this.pool = pool;
    this.isEarly = isEarly;
    this.scripts = scripts;
    this.seeder = seeder;
    this.holds = holds;
    this.drainer = drainer;
  }

  /// Returns nothing if it is not time yet.
  @Override
  public List<AuctionClose> head(int max) {
    return switch (stopAndSweep()) {
      case Early() -> List.of();
      case Stopped stopped -> {
        drain();
        yield List.of(
            new AuctionClose(stopped.epoch(), stopped.last().value(), stopped.closedAt()));
      }
      case NotOpen(var why) -> throw notNow("the pool is not open: " + why);
    };
  }

  /// A bid whose lease ended before the close must not win, so its end has to be on record.
  private CloseReply stopAndSweep() {
    var reply = stop();
    for (var sweep = 0; reply instanceof Stopped(_, _, _, var lapsed) && lapsed > 0; sweep++) {
      if (sweep == SWEEPS_MAX) {
        throw notNow("its lapsed bids are not swept");
      }
      ScriptReplies.await(holds.sweep(pool));
      reply = stop();
    }
    return reply;
  }

  private CloseReply stop() {
    var reply = ScriptReplies.await(scripts.close(pool.name(), isEarly));
    if (reply instanceof NotOpen(var why)) {
      ScriptReplies.await(seeder.open(pool, why));
      reply = ScriptReplies.await(scripts.close(pool.name(), isEarly));
    }
    return reply;
  }

  private void drain() {
    if (!(drainer.drainAll(pool.name()) instanceof Emptied)) {
      throw notNow("its journal is not drained");
    }
  }

  private RedisUnavailable notNow(String why) {
    return RedisUnavailable.notSent(
        new IllegalStateException("auction %s is not closed yet: %s".formatted(pool.name(), why)));
  }

  /// The outbox has an entry for each bid, which tells Redis its end.
  @Override
  public void remove(List<AuctionClose> committed) {
    LOG.debug("the close of auction {} is committed", pool.name());
  }

  /// An older close without a result needs no new number: the next one finds the newer state.
  @Override
  public void putBehind(List<AuctionClose> overtaken) {
    LOG.warn("A close of auction {} was overtaken and begins again", pool.name());
  }
}
