package io.holdfast.journal;

import io.holdfast.journal.JournalDrainer.DrainOutcome.Emptied;
import io.holdfast.journal.JournalDrainer.DrainOutcome.Superseded;
import io.holdfast.journal.JournalDrainer.DrainOutcome.Unfinished;
import io.holdfast.journal.JournalDrainer.DrainOutcome.Unseeded;
import io.holdfast.journal.JournalScripts.ReadOutcome;
import io.holdfast.journal.JournalScripts.ReadOutcome.Lines;
import io.holdfast.journal.store.JournalStoreOutcome;
import io.holdfast.journal.store.JournalStoreOutcome.Behind;
import io.holdfast.journal.store.JournalStoreOutcome.Stored;
import io.holdfast.journal.store.JournalStoreOutcome.Unknown;
import io.holdfast.journal.store.JournalTable;
import io.holdfast.pool.Fence;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.HoldState;
import io.holdfast.pool.JournalLine;
import io.holdfast.pool.JournalPosition;
import io.holdfast.pool.PoolName;
import io.holdfast.pool.TicketRecord;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Moves the journal of a pool from Redis to Postgres: reads the oldest lines, stores the lines
/// after the cursor and moves the cursor in the same transaction, then trims the stored lines in
/// Redis. After a crash between two steps, Redis still has lines that are stored; the cursor shows
/// which. Several drainers may work on one journal; each line is stored once.
///
/// Throws `RedisUnavailable` or `PostgresUnavailable`, and may be repeated after both.
@Singleton
public final class JournalDrainer {
  static final int BATCH = 2_000;

  /// The lines of one script call: about a millisecond, in which Redis serves nobody else.
  private static final int CHUNK = 250;

  /// Ten times the default limit of a journal.
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
    drained = counter(meters, "drained", "Journal lines that were stored in Postgres");
    drift = counter(meters, "drift", "Holds whose state in Postgres differs from a journal");
    unreadable = counter(meters, "unreadable", "Journal lines that cannot be parsed");
  }

  /// The outcome of draining a journal.
  public sealed interface DrainOutcome {

    /// The journal is empty.
    ///
    /// @param lines the number of stored lines
    record Emptied(long lines) implements DrainOutcome {}

    /// All allowed batches were stored; there may be more lines.
    ///
    /// @param lines the number of stored lines
    record Unfinished(long lines) implements DrainOutcome {}

    /// The pool has a newer epoch than this Redis, so its lines are not valid.
    record Superseded() implements DrainOutcome {}

    /// Redis does not have the pool, or has it in another epoch.
    record Unseeded() implements DrainOutcome {}
  }

  private static Counter counter(MeterRegistry meters, String name, String description) {
    return Counter.builder("holdfast.journal." + name).description(description).register(meters);
  }

  /// Drains until the journal is empty, and makes Redis number new entries after the cursor.
  /// Seeding calls it after it began an epoch on surviving data and before it opens the epoch.
  public DrainOutcome drainAll(PoolName pool) {
    var outcome = drain(pool, BATCHES_MAX);
    if (!(outcome instanceof Emptied)) {
      return outcome;
    }
    var last = table.cursor(pool);
    var isAligned = last.equals(JournalPosition.START) || scripts.align(pool, last);
    return isAligned ? outcome : new Unseeded();
  }

  /// Drains the lines that the journal has now, however many others add meanwhile. Returns whether
  /// all of them are stored.
  public boolean drainPresent(PoolName pool) {
    var end = scripts.end(pool);
    if (end.isEmpty()) {
      return false;
    }
    for (var batch = 0; batch < BATCHES_MAX; batch++) {
      if (!(read(pool) instanceof Lines read)) {
        return false;
      }
      if (read.lines().isEmpty() || read.lines().getFirst().id().compareTo(end.get()) >= 0) {
        return true;
      }
      if (store(pool, read) instanceof JournalStoreOutcome.Superseded) {
        return false;
      }
    }
    return false;
  }

  /// Drains at most `batches` batches.
  DrainOutcome drain(PoolName pool, int batches) {
    var lines = 0;
    for (var batch = 0; batch < batches; batch++) {
      if (!(read(pool) instanceof Lines read)) {
        return new Unseeded();
      }
      if (read.lines().isEmpty()) {
        return new Emptied(lines);
      }
      switch (store(pool, read)) {
        case Stored stored -> lines += stored.lines();
        case Behind _, Unknown _ -> {} // the next batch reads the cursor again
        case JournalStoreOutcome.Superseded _ -> {
          return new Superseded();
        }
      }
    }
    return new Unfinished(lines);
  }

  /// Reads the oldest lines in chunks. If another drainer trims meanwhile, chunks may be missing;
  /// those are stored, and the cursor, which is read afterwards, is past them.
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

  /// Skips lines that were stored but not trimmed before.
  private JournalStoreOutcome store(PoolName pool, Lines read) {
    var cursor = table.cursor(pool);
    var unstored = read.lines().stream().filter(line -> line.id().compareTo(cursor) > 0).toList();
    var last = unstored.isEmpty() ? cursor : unstored.getLast().id();
    var outcome = table.store(pool, read.epoch(), cursor, last, unstored);
    if (outcome instanceof Stored stored) {
      count(pool, unstored, stored);
      trim(pool, read.lines());
    }
    return outcome;
  }

  /// Trims whole entries: an entry contains several lines.
  private void trim(PoolName pool, List<JournalLine> lines) {
    for (int start = 0, end; start < lines.size(); start = end) {
      end = Math.min(lines.size(), start + CHUNK);
      while (end < lines.size() && isSameEntry(lines.get(end - 1), lines.get(end))) {
        end++;
      }
      var chunk = lines.subList(start, end);
      scripts.trim(pool, chunk.getLast().id(), ended(chunk));
    }
  }

  private static boolean isSameEntry(JournalLine one, JournalLine other) {
    return one.id().entry().equals(other.id().entry());
  }

  /// The fences of holds and the numbers of tickets that have ended.
  private static List<Fence> ended(List<JournalLine> lines) {
    return lines.stream()
        .flatMap(line -> Stream.concat(endedHold(line.hold()), endedTicket(line.ticket())))
        .distinct()
        .toList();
  }

  private static Stream<Fence> endedHold(@Nullable HoldRecord hold) {
    return hold == null || hold.state() == HoldState.HELD
        ? Stream.empty()
        : Stream.of(hold.fence());
  }

  private static Stream<Fence> endedTicket(@Nullable TicketRecord ticket) {
    return ticket == null || ticket.endedAt() == null
        ? Stream.empty()
        : Stream.of(new Fence(ticket.number()));
  }

  private void count(PoolName pool, List<JournalLine> lines, Stored stored) {
    drained.increment(lines.size());
    if (stored.drift() > 0) {
      drift.increment(stored.drift());
      LOG.warn(
          "{} holds of pool {} have another end in Postgres than in the journal",
          stored.drift(),
          pool);
    }
    var invalid = lines.stream().filter(line -> !line.isReadable()).count();
    if (invalid > 0) {
      unreadable.increment(invalid);
      LOG.error(
          "{} journal lines of pool {} cannot be parsed; they are stored as they are",
          invalid,
          pool);
    }
  }
}
