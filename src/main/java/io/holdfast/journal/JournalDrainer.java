package io.holdfast.journal;

import io.holdfast.journal.DrainOutcome.Emptied;
import io.holdfast.journal.DrainOutcome.Unfinished;
import io.holdfast.journal.ReadOutcome.Lines;
import io.holdfast.journal.store.JournalStoreOutcome;
import io.holdfast.journal.store.JournalStoreOutcome.Behind;
import io.holdfast.journal.store.JournalStoreOutcome.Stored;
import io.holdfast.journal.store.JournalStoreOutcome.Superseded;
import io.holdfast.journal.store.JournalStoreOutcome.Unknown;
import io.holdfast.journal.store.JournalTable;
import io.holdfast.pool.Fence;
import io.holdfast.pool.HoldState;
import io.holdfast.pool.JournalLine;
import io.holdfast.pool.JournalPosition;
import io.holdfast.pool.PoolName;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Brings the journal of a pool from Redis to Postgres: read the oldest lines, store those behind
/// the cursor and move the cursor with them, then let Redis forget what is stored. A crash between
/// any two steps leaves lines in Redis that are stored already, and the cursor tells so to whoever
/// comes next. Any number of drainers may work on one journal; each line is stored once.
///
/// Fails with `RedisUnavailable` or `PostgresUnavailable`; after that, too, it may simply be run
/// again.
@Singleton
public final class JournalDrainer {
  static final int BATCH = 2_000;

  /// What is read and forgotten at once: a millisecond of Redis' time, in which callers wait.
  private static final int CHUNK = 250;

  /// Ten times what a journal may hold by default.
  private static final int BATCHES_MAX = 5_000;

  private static final Logger LOG = LoggerFactory.getLogger(JournalDrainer.class);

  private final JournalScripts scripts;
  private final JournalTable table;
  private final Counter drained;
  private final Counter drift;
  private final Counter unreadable;

  JournalDrainer(JournalScripts scripts, JournalTable table, MeterRegistry meters) {
    this.scripts = scripts;
    this.table = table;
    drained = counter(meters, "drained", "Lines of journals that were brought to Postgres");
    drift = counter(meters, "drift", "Holds that are another thing in Postgres than in a journal");
    unreadable = counter(meters, "unreadable", "Lines of journals that make no sense");
  }

  private static Counter counter(MeterRegistry meters, String name, String description) {
    return Counter.builder("holdfast.journal." + name).description(description).register(meters);
  }

  /// Drains until nothing is left, and lets whatever comes then be numbered behind it. For seeding:
  /// between beginning an epoch over what has survived, and opening it.
  public DrainOutcome drainAll(PoolName pool) {
    var outcome = drain(pool, BATCHES_MAX);
    if (!(outcome instanceof Emptied)) {
      return outcome;
    }
    var last = table.cursor(pool);
    var isAligned = last.equals(JournalPosition.START) || scripts.align(pool, last);
    return isAligned ? outcome : new DrainOutcome.Unseeded();
  }

  /// Drains at most so many batches.
  DrainOutcome drain(PoolName pool, int batches) {
    var lines = 0;
    for (var batch = 0; batch < batches; batch++) {
      if (!(read(pool) instanceof Lines read)) {
        return new DrainOutcome.Unseeded();
      }
      if (read.lines().isEmpty()) {
        return new Emptied(lines);
      }
      switch (bring(pool, read)) {
        case Stored stored -> lines += stored.lines();
        case Behind _, Unknown _ -> {} // the cursor will tell
        case Superseded _ -> {
          return new DrainOutcome.Superseded();
        }
      }
    }
    return new Unfinished(lines);
  }

  /// The oldest lines, chunk by chunk. Where somebody else drains meanwhile, chunks may be missing
  /// in the middle; those are stored, and the cursor, which is looked at afterwards, is behind
  /// them.
  private ReadOutcome read(PoolName pool) {
    var first = scripts.read(pool, JournalPosition.START, CHUNK);
    if (!(first instanceof Lines(var epoch, var lines)) || lines.size() < CHUNK) {
      return first;
    }
    var all = new ArrayList<>(lines);
    while (all.size() < BATCH
        && scripts.read(pool, all.getLast().id(), CHUNK) instanceof Lines more
        && more.epoch().equals(epoch)
        && all.addAll(more.lines())) {}
    return new Lines(epoch, all);
  }

  /// Lines that are stored already, by somebody who did not come to forgetting them, are left out.
  private JournalStoreOutcome bring(PoolName pool, Lines read) {
    var cursor = table.cursor(pool);
    var fresh = read.lines().stream().filter(line -> line.id().compareTo(cursor) > 0).toList();
    var last = fresh.isEmpty() ? cursor : fresh.getLast().id();
    var outcome = table.store(pool, read.epoch(), cursor, last, fresh);
    if (outcome instanceof Stored stored) {
      count(pool, fresh, stored);
      trim(pool, read.lines());
    }
    return outcome;
  }

  /// By whole entries: with an entry all its lines go.
  private void trim(PoolName pool, List<JournalLine> lines) {
    for (int start = 0, end; start < lines.size(); start = end) {
      end = Math.min(lines.size(), start + CHUNK);
      while (end < lines.size() && isOfOneEntry(lines.get(end - 1), lines.get(end))) {
        end++;
      }
      var chunk = lines.subList(start, end);
      scripts.trim(pool, chunk.getLast().id(), ended(chunk));
    }
  }

  private static boolean isOfOneEntry(JournalLine one, JournalLine other) {
    return one.id().entry().equals(other.id().entry());
  }

  private static List<Fence> ended(List<JournalLine> lines) {
    return lines.stream()
        .map(JournalLine::hold)
        .filter(hold -> hold != null && hold.state() != HoldState.HELD)
        .map(hold -> hold.fence())
        .distinct()
        .toList();
  }

  private void count(PoolName pool, List<JournalLine> lines, Stored stored) {
    drained.increment(lines.size());
    if (stored.drift() > 0) {
      drift.increment(stored.drift());
      LOG.warn("{} holds of pool {} ended otherwise in Postgres", stored.drift(), pool);
    }
    var senseless = lines.stream().filter(line -> !line.isReadable()).count();
    if (senseless > 0) {
      unreadable.increment(senseless);
      LOG.error("{} lines of the journal of pool {} make no sense; they are kept", senseless, pool);
    }
  }
}
