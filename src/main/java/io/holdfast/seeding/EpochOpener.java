package io.holdfast.seeding;

import io.holdfast.activity.ActivePools;
import io.holdfast.journal.JournalDrainer;
import io.holdfast.journal.store.JournalTable;
import io.holdfast.pool.Epoch;
import io.holdfast.pool.Pool;
import io.holdfast.seeding.EpochLog.Opening;
import jakarta.inject.Singleton;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One new epoch of a pool, from its number to its opening. Nothing is granted in between, and
/// every step is refused once a newer epoch has begun or another server answers, so two who do this
/// at once cannot hand out falling fences.
@Singleton
final class EpochOpener {
  private static final Logger LOG = LoggerFactory.getLogger(EpochOpener.class);

  private final PoolScripts scripts;
  private final PoolLoader refill;
  private final EpochCounter epochs;
  private final JournalTable journal;
  private final JournalDrainer drainer;
  private final EpochLog openings;
  private final ActivePools active;

  EpochOpener(
      PoolScripts scripts,
      PoolLoader refill,
      EpochCounter epochs,
      JournalTable journal,
      JournalDrainer drainer,
      EpochLog openings,
      ActivePools active) {
    this.scripts = scripts;
    this.refill = refill;
    this.epochs = epochs;
    this.journal = journal;
    this.drainer = drainer;
    this.openings = openings;
    this.active = active;
  }

  /// False if another seeding was faster.
  boolean reopen(Pool pool, String cause) {
    return reopen(pool, epochs.next(pool.name()).orElseThrow(), cause);
  }

  /// @param epoch given to this attempt alone
  boolean reopen(Pool pool, Epoch epoch, String cause) {
    try {
      return isDone(pool, epoch, cause);
    } catch (Superseded e) {
      LOG.debug("epoch {} of pool {} was overtaken by another", epoch, pool.name());
      return false;
    }
  }

  /// The epoch has its number, so no drain of an older one can be stored any more: the cursor
  /// stands still until what survived of the journal is drained here, in the new epoch. Only then
  /// is Postgres asked what to fill Redis with.
  private boolean isDone(Pool pool, Epoch epoch, String cause) {
    var name = pool.name();
    var drained = journal.cursor(name);
    var begun = ScriptReplies.fields(scripts.seed(pool, epoch, drained.ms(), cause));
    active.wrote(name);
    if (!begun[0].equals("SEEDING")) {
      return begun[0].equals("OPEN");
    }
    drainer.drainAll(name);
    var filled = refill.fill(name, epoch);
    var server = begun[1];
    var opening =
        new Opening(name, epoch, cause, server, drained, filled.restored(), filled.lost());
    if (!openings.record(opening)
        || !ScriptReplies.fields(scripts.open(name, epoch))[0].equals("OPEN")) {
      return false;
    }
    active.changed(name);
    LOG.info(
        "Pool {} is open in epoch {} ({}): {} holds survived, {} were restored, {} were lost",
        name,
        epoch,
        cause,
        filled.survived(),
        filled.restored(),
        filled.lost());
    return true;
  }

  /// A newer epoch has begun, or another server answers.
  static final class Superseded extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Superseded() {
      super(null, null, false, false);
    }
  }
}
