package io.holdfast.activity;

import io.holdfast.pool.PoolName;
import io.holdfast.runtime.OnDemandTask;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.StartupTask;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// Collects the pools that this instance has written to and enters them in the index: at once after
/// an idle time, otherwise in one call every 50 ms. A note is made after the reply to the write, so
/// a pool that is removed from the index at the same time is entered again. Notes are kept while
/// Redis is away. `IndexRebuilder` finds the pools whose notes a crash has lost.
@Singleton
public final class ActivePools implements StartupTask {
  private static final Duration PAUSE = Duration.ofMillis(50);

  private static final int POOLS_PER_CALL_MAX = 250;

  private final PoolIndex index;
  private final OnDemandTask task;
  private final Map<PoolName, Long> dues = new ConcurrentHashMap<>();
  private final Set<PoolName> written = ConcurrentHashMap.newKeySet();

  public ActivePools(PoolIndex index, PeriodicTasks tasks) {
    this.index = index;
    this.task = new OnDemandTask(tasks, "pool-activity", PAUSE, this::flushIfNoted);
    task.task().onStop(this::flush);
  }

  @Override
  public void atStart() {
    task.task().start();
  }

  /// The journal of the pool may have lines.
  public void wrote(PoolName pool) {
    if (!written.contains(pool)) { // read first: every request calls this
      written.add(pool);
      task.workArrived();
    }
  }

  /// A hold of the pool is due at this time of Redis' clock. A past time makes the next sweep check
  /// the pool.
  public void due(PoolName pool, long ms) {
    var earliest = dues.get(pool);
    if (earliest == null || ms < earliest) {
      dues.merge(pool, ms, Math::min);
      task.workArrived();
    }
  }

  /// The pool may have journal lines, and holds whose lease ends are unknown here.
  public void changed(PoolName pool) {
    wrote(pool);
    due(pool, 0);
  }

  /// Enters the notes, on the calling thread.
  public void flush() {
    var pools = new HashSet<>(dues.keySet());
    pools.addAll(written);
    var notes = new ArrayList<PoolIndex.Note>();
    for (var pool : pools) {
      notes.add(new PoolIndex.Note(pool, dues.remove(pool), written.remove(pool)));
    }
    for (var start = 0; start < notes.size(); start += POOLS_PER_CALL_MAX) {
      enter(notes, start);
    }
  }

  private void enter(List<PoolIndex.Note> notes, int start) {
    try {
      index.note(notes.subList(start, Math.min(notes.size(), start + POOLS_PER_CALL_MAX)));
    } catch (RuntimeException | Error e) { // a later run enters them
      notes.subList(start, notes.size()).forEach(this::keep);
      throw e;
    }
  }

  private void keep(PoolIndex.Note note) {
    if (note.dueMs() != null) {
      dues.merge(note.pool(), note.dueMs(), Math::min);
    }
    if (note.isWritten()) {
      written.add(note.pool());
    }
  }

  private boolean flushIfNoted() {
    var hasNotes = !dues.isEmpty() || !written.isEmpty();
    if (hasNotes) {
      flush();
    }
    return hasNotes;
  }
}
