package io.holdfast.journal;

import io.holdfast.activity.PoolIndex;
import io.holdfast.pool.PoolName;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/// Reads from the Redis index which pools have journal lines, and removes the pools whose journals
/// were drained. Each read covers the entries since the previous one. Every ten seconds a read
/// covers all entries, because the clock of Redis, which dates them, may be set back.
@Singleton
final class DrainIndex {
  static final Duration READ_PAUSE = Duration.ofMillis(50);
  static final Duration IDLE_PAUSE = Duration.ofMillis(250);

  private static final Duration FULL_READ_PERIOD = Duration.ofSeconds(10);
  private static final int POOLS_MAX = 500;

  private final PoolIndex index;
  private final Map<PoolName, Long> scores = new HashMap<>();
  private final Map<PoolName, Long> emptied = new HashMap<>();
  private long after;
  private long fullReadAt;
  private long nextRead = System.nanoTime();

  DrainIndex(PoolIndex index) {
    this.index = index;
  }

  /// Adds the pools with new lines to the schedule, if a read is due.
  void addTo(DrainSchedule schedule) {
    var now = System.nanoTime();
    if (now - nextRead < 0) {
      return;
    }
    var pools = index.drains(after, POOLS_MAX, emptied);
    emptied.clear();
    pools.forEach(
        (pool, score) -> {
          scores.put(pool, score);
          schedule.add(pool, now);
          after = Math.max(after, score);
        });
    if (pools.size() < POOLS_MAX && now - fullReadAt > FULL_READ_PERIOD.toNanos()) {
      after = 0;
      fullReadAt = now;
    }
    nextRead = now + (schedule.isEmpty() ? IDLE_PAUSE : READ_PAUSE).toNanos();
  }

  Duration untilNextRead() {
    return Duration.ofNanos(Math.max(0, nextRead - System.nanoTime()));
  }

  /// The next read removes the pool from the index, unless it was noted again since it was read.
  void journalIsEmpty(PoolName pool) {
    var score = scores.remove(pool);
    if (score != null) {
      emptied.put(pool, score);
    }
  }

  /// Makes the next read cover all entries.
  void reset() {
    scores.clear();
    emptied.clear();
    after = 0;
  }
}
