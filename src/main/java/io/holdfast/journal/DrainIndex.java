package io.holdfast.journal;

import io.holdfast.activity.PoolIndex;
import io.holdfast.pool.PoolName;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/// What the drainer knows of the index: which pools were written to, and what it has to tell of
/// those whose journals it found empty. A look reads what was noted since the one before; every ten
/// seconds one reads all, because Redis' clock, by which pools are noted, may be set back.
@Singleton
final class DrainIndex {
  static final Duration LOOK_PAUSE = Duration.ofMillis(50);
  static final Duration IDLE_PAUSE = Duration.ofMillis(250);

  private static final Duration READ_ALL = Duration.ofSeconds(10);
  private static final int POOLS_MAX = 500;

  private final PoolIndex index;
  private final Map<PoolName, Long> scores = new HashMap<>();
  private final Map<PoolName, Long> emptied = new HashMap<>();
  private long after;
  private long readAllAt;
  private long nextLook = System.nanoTime();

  DrainIndex(PoolIndex index) {
    this.index = index;
  }

  /// Adds pools that were written to, if it is time to look.
  void look(DrainSchedule turns) {
    var now = System.nanoTime();
    if (now - nextLook < 0) {
      return;
    }
    var pools = index.drains(after, POOLS_MAX, emptied);
    emptied.clear();
    pools.forEach(
        (pool, score) -> {
          scores.put(pool, score);
          turns.add(pool, now);
          after = Math.max(after, score);
        });
    if (pools.size() < POOLS_MAX && now - readAllAt > READ_ALL.toNanos()) {
      after = 0;
      readAllAt = now;
    }
    nextLook = now + (turns.isEmpty() ? IDLE_PAUSE : LOOK_PAUSE).toNanos();
  }

  Duration untilLook() {
    return Duration.ofNanos(Math.max(0, nextLook - System.nanoTime()));
  }

  /// The journal was empty after the pool was read from the index: it is removed, unless it was
  /// noted again since.
  void isEmpty(PoolName pool) {
    var score = scores.remove(pool);
    if (score != null) {
      emptied.put(pool, score);
    }
  }

  /// Another instance drains now; whoever is next reads all.
  void forget() {
    scores.clear();
    emptied.clear();
    after = 0;
  }
}
