package io.holdfast.journal;

import io.holdfast.pool.PoolName;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;

/// Which pool is drained next. One that had many lines comes again at once, behind the others that
/// are due; one that had few is given a moment to gather more; one that had none is left alone for
/// a while, the longer the more often that happens. Moments are those of `System.nanoTime`.
final class Turns {
  private static final Duration SHORTEST = Duration.ofMillis(10);

  /// A batch costs a transaction and a flush of the disk, however few lines it has.
  private static final Duration GATHERING = Duration.ofMillis(50);

  private static final Duration IDLE_MAX = Duration.ofMillis(250);
  private static final Duration TROUBLE_MAX = Duration.ofSeconds(2);

  /// So that thousands of idle pools do not keep Redis busy.
  private static final Duration SHARE_OF_EACH = Duration.ofMillis(1);

  private final Map<PoolName, Duration> pauses = new HashMap<>();
  private final PriorityQueue<Turn> queue = new PriorityQueue<>();

  private record Turn(PoolName pool, long due) implements Comparable<Turn> {
    @Override
    public int compareTo(Turn other) {
      return Long.signum(due - other.due);
    }
  }

  /// Pools that are new are due at once.
  void add(Collection<PoolName> pools, long now) {
    for (var pool : pools) {
      if (pauses.putIfAbsent(pool, Duration.ZERO) == null) {
        queue.add(new Turn(pool, now));
      }
    }
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

  /// How long until a pool is due.
  Duration untilNext(long now) {
    var first = queue.peek();
    return first == null ? IDLE_MAX : Duration.ofNanos(Math.max(0, first.due - now));
  }

  void hadLines(PoolName pool, long now) {
    put(pool, Duration.ZERO, now);
  }

  void hadFew(PoolName pool, long now) {
    pauses.put(pool, Duration.ZERO);
    queue.add(new Turn(pool, now + GATHERING.toNanos()));
  }

  void hadNone(PoolName pool, long now) {
    var share = SHARE_OF_EACH.multipliedBy(pauses.size());
    postpone(pool, share.compareTo(IDLE_MAX) > 0 ? share : IDLE_MAX, now);
  }

  void hadTrouble(PoolName pool, long now) {
    postpone(pool, TROUBLE_MAX, now);
  }

  private void postpone(PoolName pool, Duration most, long now) {
    var doubled = pauses.get(pool).multipliedBy(2);
    var pause = doubled.compareTo(SHORTEST) > 0 ? doubled : SHORTEST;
    put(pool, pause.compareTo(most) < 0 ? pause : most, now);
  }

  private void put(PoolName pool, Duration pause, long now) {
    pauses.put(pool, pause);
    queue.add(new Turn(pool, now + pause.toNanos()));
  }
}
