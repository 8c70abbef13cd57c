package io.holdfast.auction;

import io.holdfast.catalogue.PoolRegistry;
import io.holdfast.commitment.auction.Auction;
import io.holdfast.commitment.auction.AuctionLedger;
import io.holdfast.commitment.auction.AuctionNotDrained;
import io.holdfast.commitment.auction.AuctionTable;
import io.holdfast.confirm.OutboxRelay;
import io.holdfast.hold.HoldService;
import io.holdfast.journal.JournalDrainer;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.Leases;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.redis.RedisUnavailable;
import io.holdfast.runtime.DependencyUnavailable;
import io.holdfast.runtime.InstanceId;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.StartupTask;
import io.holdfast.seeding.PoolSeeder;
import io.holdfast.seeding.ScriptReplies;
import io.micronaut.core.annotation.Order;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Closes auctions whose time has come, on any instance, and those that the operator closes. Redis
/// stops the bids, the journal brings them to Postgres, one transaction decides, and Redis is told.
/// A closer that dies leaves the rest to the next one: every step may be repeated.
@Singleton
@Order(StartupTask.AFTER_MIGRATIONS)
final class AuctionCloser implements StartupTask {
  private static final Logger LOG = LoggerFactory.getLogger(AuctionCloser.class);
  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final int AUCTIONS_PER_RUN = 100;
  private static final int TRIES_MAX = 3;
  private static final String BEHIND = "BEHIND";

  private final AuctionTable table;
  private final AuctionLedger ledger;
  private final AuctionScripts scripts;
  private final PoolRegistry pools;
  private final PoolSeeder seeder;
  private final HoldService holds;
  private final JournalDrainer drainer;
  private final OutboxRelay relay;
  private final Leases leases;
  private final PeriodicTasks tasks;
  private final String self;

  AuctionCloser(
      AuctionTable table,
      AuctionLedger ledger,
      AuctionScripts scripts,
      PoolRegistry pools,
      PoolSeeder seeder,
      HoldService holds,
      JournalDrainer drainer,
      OutboxRelay relay,
      Leases leases,
      PeriodicTasks tasks,
      InstanceId instance) {
    this.table = table;
    this.ledger = ledger;
    this.scripts = scripts;
    this.pools = pools;
    this.seeder = seeder;
    this.holds = holds;
    this.drainer = drainer;
    this.relay = relay;
    this.leases = leases;
    this.tasks = tasks;
    this.self = instance.name();
  }

  @Override
  public void atStart() {
    tasks.every("auction-close", PAUSE, this::closeDue).start();
  }

  /// A lease only saves work: two closers of one auction get the same result.
  private void closeDue() {
    for (var name : table.due(AUCTIONS_PER_RUN)) {
      var lease = "auction-close:" + name;
      if (leases.take(lease, self, LEASE)) {
        try {
          pools.find(name).ifPresent(this::closeIfDue);
        } finally {
          leases.giveBack(lease, self);
        }
      }
    }
  }

  private void closeIfDue(Pool pool) {
    try {
      var isEarly = table.find(pool.name()).map(Auction::isClosing).orElse(false);
      close(pool, isEarly).ifPresent(auction -> log(pool.name(), auction));
    } catch (RedisUnavailable | PostgresUnavailable | AuctionNotDrained e) {
      if (!DependencyUnavailable.isLogged(e)) {
        LOG.warn(
            "Auction {} could not be closed ({}); the next run tries again",
            pool.name(),
            e.getMessage());
      }
    } catch (RuntimeException e) { // the auctions behind it are closed all the same
      LOG.error("Auction {} could not be closed; the next run tries again", pool.name(), e);
    }
  }

  /// Closes an auction at once. Any other instance goes on if this one dies from here on.
  ///
  /// @throws RedisUnavailable or PostgresUnavailable; bids may have been stopped
  Auction closeNow(Pool pool) {
    table.requestClose(pool.name());
    return close(pool, true)
        .orElseThrow(() -> RedisUnavailable.notSent(new IllegalStateException("not closed yet")));
  }

  /// Returns empty if it is not time yet.
  private Optional<Auction> close(Pool pool, boolean isEarly) {
    var queue = new ClosingQueue(pool, isEarly, scripts, seeder, holds, drainer);
    var decided = decide(pool, queue);
    decided.ifPresent(
        auction -> {
          ledger.verify(auction);
          relay.relay(pool.name());
        });
    return decided;
  }

  private Optional<Auction> decide(Pool pool, ClosingQueue queue) {
    for (var attempt = 1; ; attempt++) {
      try {
        return ledger.decide(pool, queue);
      } catch (AuctionNotDrained e) {
        if (attempt == TRIES_MAX) {
          throw RedisUnavailable.notSent(e);
        }
        LOG.info("{}", e.getMessage());
        if (e.isEpochOver() && attempt > 1) { // Redis itself does not know that it was superseded
          ScriptReplies.await(seeder.open(pool, BEHIND));
        }
      }
    }
  }

  private static void log(PoolName pool, Auction auction) {
    var result = auction.result();
    LOG.info(
        "Auction {} is closed with {} bids; {}",
        pool,
        result.bids(),
        result.winner() == null
            ? "the lot is not sold"
            : "bid " + result.winner().bidId() + " wins");
  }
}
