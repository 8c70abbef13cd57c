package io.holdfast.journal;

import io.holdfast.pool.PoolName;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;

/// Which pool is drained next. One that had many lines comes again at once, behind the others that
/// are due; one that had few is given a moment to gather more; one that had none leaves until it is
/// added again. Moments are those of `System.nanoTime`.
final class DrainSchedule {
  private static final Duration SHORTEST = Duration.ofMillis(10);

  /// A batch costs a transaction and a flush of the disk, however few lines it has.
  private static final Duration GATHERING = Duration.ofMillis(50);

  private static final Duration TROUBLE_MAX = Duration.ofSeconds(2);

  private final Map<PoolName, Duration> pauses = new HashMap<>();
  private final PriorityQueue<Turn> queue = new PriorityQueue<>();

  private record Turn(PoolName pool, long due) implements Comparable<Turn> {
    @Override
    public int compareTo(Turn other) {
      return Long.signum(due - other.due);
    }
  }

  /// A pool that is new is due at once.
  void add(PoolName pool, long now) {
    if (pauses.putIfAbsent(pool, Duration.ZERO) == null) {
      queue.add(new Turn(pool, now));
    }
  }

  boolean isEmpty() {
    return pauses.isEmpty();
  }

  void clear() {
    pauses.clear();
    queue.clear();
  }

  /// The pool that is due for longest. Its next turn comes when one of the methods below was told
  /// what became of this one.
  Optional<PoolName> next(long now) {
    var first = queue.peek();
    if (first == null || first.due - now > 0) {
      return Optional.empty();
    }
    return Optional.of(queue.remove().pool);
  }

  /// How long until a pool is due; `most` if there is none.
  Duration untilNext(long now, Duration most) {
    var first = queue.peek();
    return first == null ? most : Duration.ofNanos(Math.max(0, first.due - now));
  }

  void hadLines(PoolName pool, long now) {
    put(pool, Duration.ZERO, now);
  }

  void hadFew(PoolName pool, long now) {
    pauses.put(pool, Duration.ZERO);
    queue.add(new Turn(pool, now + GATHERING.toNanos()));
  }

  void hadNone(PoolName pool) {
    pauses.remove(pool);
  }

  void hadTrouble(PoolName pool, long now) {
    var doubled = pauses.get(pool).multipliedBy(2);
    var pause = doubled.compareTo(SHORTEST) > 0 ? doubled : SHORTEST;
    put(pool, pause.compareTo(TROUBLE_MAX) < 0 ? pause : TROUBLE_MAX, now);
  }

  private void put(PoolName pool, Duration pause, long now) {
    pauses.put(pool, pause);
    queue.add(new Turn(pool, now + pause.toNanos()));
  }
}
