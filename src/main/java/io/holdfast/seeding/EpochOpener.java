package io.holdfast.seeding;

import io.holdfast.activity.ActivePools;
import io.holdfast.catalogue.Catalogue;
import io.holdfast.commitment.auction.AuctionTable;
import io.holdfast.journal.JournalDrainer;
import io.holdfast.journal.store.JournalTable;
import io.holdfast.pool.Epoch;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolKind;
import io.holdfast.pool.PoolName;
import io.holdfast.seeding.EpochLog.Opening;
import io.holdfast.seeding.PoolScripts.Seed;
import io.holdfast.seeding.PoolScripts.Superseded;
import jakarta.inject.Singleton;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Opens a new epoch of a pool: takes its number from Postgres, loads Redis, and opens the pool. No
/// hold is placed in between. Every step is refused once a newer epoch has begun or another server
/// answers, so two concurrent openings cannot hand out falling fences.
@Singleton
final class EpochOpener {
  private static final Logger LOG = LoggerFactory.getLogger(EpochOpener.class);

  private final PoolScripts scripts;
  private final PoolLoader loader;
  private final EpochCounter epochs;
  private final JournalTable journal;
  private final JournalDrainer drainer;
  private final EpochLog log;
  private final ActivePools active;
  private final List<SeedingContributor> contributors;
  private final AuctionTable auctions;
  private final Catalogue catalogue;

  EpochOpener(
      PoolScripts scripts,
      PoolLoader loader,
      EpochCounter epochs,
      JournalTable journal,
      JournalDrainer drainer,
      EpochLog log,
      ActivePools active,
      AuctionTable auctions,
      Catalogue catalogue,
      List<SeedingContributor> contributors) {
    this.scripts = scripts;
    this.loader = loader;
    this.epochs = epochs;
    this.journal = journal;
    this.drainer = drainer;
    this.log = log;
    this.active = active;
    this.contributors = contributors;
    this.auctions = auctions;
    this.catalogue = catalogue;
  }

  /// Returns false if a concurrent seeding has superseded this one.
  boolean open(Pool pool, String cause) {
    return open(pool, epochs.next(pool.name()).orElseThrow(), cause);
  }

  /// @param epoch used by this attempt only
  boolean open(Pool pool, Epoch epoch, String cause) {
    try {
      return seedAndOpen(pool, epoch, cause);
    } catch (Superseded e) {
      LOG.debug("epoch {} of pool {} was superseded by another", epoch, pool.name());
      return false;
    }
  }

  /// From the new number on, Postgres refuses drains of older epochs, so the cursor does not move
  /// until the surviving journal is drained here. Only after that is Postgres read to load Redis.
  private boolean seedAndOpen(Pool given, Epoch epoch, String cause) {
    var name = given.name();
    var pool = catalogue.find(name).orElseThrow();
    var drained = journal.cursor(name);
    var isClosing = pool.kind() == PoolKind.AUCTION && auctions.isClosing(name);
    var begun = scripts.seed(pool, epoch, drained.ms(), cause, isClosing);
    active.wrote(name);
    if (!(begun instanceof Seed.Begun(var runId))) {
      return begun instanceof Seed.AlreadyOpen;
    }
    var latest = tellLatestRules(name);
    drainer.drainAll(name);
    var loaded = loader.load(latest, epoch);
    contributors.forEach(contributor -> contributor.load(latest, epoch));
    var opening = new Opening(name, epoch, cause, runId, drained, loaded.restored(), loaded.lost());
    if (!log.record(opening) || !scripts.open(name, epoch)) {
      return false;
    }
    active.changed(name);
    LOG.info(
        "Pool {} is open in epoch {} ({}): {} holds survived, {} were restored, {} were lost",
        name,
        epoch,
        cause,
        loaded.survived(),
        loaded.restored(),
        loaded.lost());
    return true;
  }

  /// A change whose rules came to Redis before this seeding had begun is in the row by now, and the
  /// rules of a later one stay in Redis. A change that needs a loaded pool raises the epoch, which
  /// refuses this opening.
  private Pool tellLatestRules(PoolName name) {
    var latest = catalogue.find(name).orElseThrow();
    scripts.rules(latest);
    return latest;
  }
}
