package io.holdfast.journal;

import io.holdfast.pool.PoolName;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.function.DoubleSupplier;

/// Decides which pool is drained next, and when. A pool with many lines is due again at once, after
/// the other due pools; a pool with few lines is due a little later; an empty pool is removed until
/// it is added again; a failed pool is retried with exponential back-off.
///
/// After a batch the schedule pauses, so that requests come first. On a busy instance draining
/// takes a fifth of the time; the pause shrinks as more lines wait in Redis. Times are those of
/// `System.nanoTime`.
final class DrainSchedule {
  private static final Duration RETRY_MIN = Duration.ofMillis(10);
  private static final Duration RETRY_MAX = Duration.ofSeconds(2);

  /// A batch costs a transaction and a disk flush, however few lines it has.
  private static final Duration FEW_LINES_DELAY = Duration.ofMillis(50);

  private static final double CALM_PER_SECOND = 100;
  private static final double BUSY_PER_SECOND = 1_000;

  /// The longest pause, in durations of the batch.
  private static final double PAUSE_MAX = 4;

  private final DoubleSupplier requestsPerSecond;
  private final int linesMax;
  private final Map<PoolName, Duration> retryDelays = new HashMap<>();
  private final PriorityQueue<Entry> queue = new PriorityQueue<>();
  private long pauseUntil = System.nanoTime();

  /// @param linesMax the lines of one journal at which requests are refused
  DrainSchedule(DoubleSupplier requestsPerSecond, int linesMax) {
    this.requestsPerSecond = requestsPerSecond;
    this.linesMax = linesMax;
  }

  private record Entry(PoolName pool, long due) implements Comparable<Entry> {
    @Override
    public int compareTo(Entry other) {
      return Long.signum(due - other.due);
    }
  }

  /// A new pool is due at once.
  void add(PoolName pool, long now) {
    if (retryDelays.putIfAbsent(pool, Duration.ZERO) == null) {
      queue.add(new Entry(pool, now));
    }
  }

  boolean isEmpty() {
    return retryDelays.isEmpty();
  }

  void clear() {
    retryDelays.clear();
    queue.clear();
  }

  /// Removes the pool that has been due longest. The caller then reports the result of its batch by
  /// one of the methods below.
  Optional<PoolName> next(long now) {
    var first = queue.peek();
    if (first == null || first.due - now > 0) {
      return Optional.empty();
    }
    return Optional.of(queue.remove().pool);
  }

  /// Returns the time until a pool is due; `max` if there is none.
  Duration untilNext(long now, Duration max) {
    var first = queue.peek();
    return first == null ? max : Duration.ofNanos(Math.max(0, first.due - now));
  }

  void hadManyLines(PoolName pool, long now) {
    put(pool, Duration.ZERO, Duration.ZERO, now);
  }

  void hadFewLines(PoolName pool, long now) {
    put(pool, Duration.ZERO, FEW_LINES_DELAY, now);
  }

  void wasEmpty(PoolName pool) {
    retryDelays.remove(pool);
  }

  void failed(PoolName pool, long now) {
    var doubled = retryDelays.get(pool).multipliedBy(2);
    var delay = doubled.compareTo(RETRY_MIN) > 0 ? doubled : RETRY_MIN;
    delay = delay.compareTo(RETRY_MAX) < 0 ? delay : RETRY_MAX;
    put(pool, delay, delay, now);
  }

  private void put(PoolName pool, Duration retryDelay, Duration delay, long now) {
    retryDelays.put(pool, retryDelay);
    queue.add(new Entry(pool, now + delay.toNanos()));
  }

  /// Starts the pause after a batch.
  void pause(Duration batchTook, long backlog, long now) {
    pauseUntil = now + pauseAfter(batchTook, backlog).toNanos();
  }

  /// Returns the rest of the pause. It ends early when the requests stop.
  Duration pauseLeft(long now) {
    var left = pauseUntil - now;
    return left <= 0 || load() == 0 ? Duration.ZERO : Duration.ofNanos(left);
  }

  /// @param backlog the lines of the journal that wait in Redis
  Duration pauseAfter(Duration batchTook, long backlog) {
    var factor = PAUSE_MAX * load() * room(backlog);
    return Duration.ofNanos((long) (batchTook.toNanos() * factor));
  }

  /// From 0 (calm) to 1 (busy).
  private double load() {
    var load =
        (requestsPerSecond.getAsDouble() - CALM_PER_SECOND) / (BUSY_PER_SECOND - CALM_PER_SECOND);
    return Math.clamp(load, 0, 1);
  }

  /// From 1 (at most a quarter of `linesMax` waits) to 0 (all of it).
  private double room(long backlog) {
    return Math.clamp((1 - (double) backlog / linesMax) / 0.75, 0, 1);
  }
}
