package io.holdfast.runtime;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/// How many calls may be pending so that the last of them is still sent in time. The limit follows
/// the rate at which calls end, and applies only while calls really wait long: a burst into an idle
/// service is taken whole, since nothing is known of the rate at which it will end.
final class QueueLimit {
  private static final Duration RETRY_MIN = Duration.ofSeconds(1);
  private static final Duration RETRY_MAX = Duration.ofSeconds(30);
  private static final double NANOS_A_SECOND = TimeUnit.SECONDS.toNanos(1);

  /// The rate is an average over about this time while it rises. It falls more slowly, so that a
  /// server that pauses for a moment is not taken for a slow one.
  private static final double RISE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  private static final double FALL_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /// Of the longest wait: beyond the first share the limit applies, and it aims at the second. The
  /// rest is left for what the estimate misses: a call that is refused late has cost as much as one
  /// that is served.
  private static final double LONG_WAIT = 0.3;

  private static final double WAIT_AIM = 0.6;

  private final int pendingMax;
  private final Duration waitMax;
  private final int pendingMin;
  private long endedBefore;
  private long updatedAt = System.nanoTime();
  private volatile double endedPerSecond;
  private volatile int limit;

  /// @param pendingMin the limit is never lower
  QueueLimit(int pendingMin, int pendingMax, Duration waitMax) {
    this.pendingMin = Math.min(pendingMin, pendingMax);
    this.pendingMax = pendingMax;
    this.waitMax = waitMax;
    this.limit = pendingMax;
  }

  boolean isLong(long waitNanos) {
    return waitNanos >= LONG_WAIT * waitMax.toNanos();
  }

  /// @param ended calls since the start
  /// @param isSlow whether calls have waited long
  void update(long now, long ended, boolean isSlow) {
    var nanos = Math.max(1, now - updatedAt);
    var present = (ended - endedBefore) * NANOS_A_SECOND / nanos;
    var weight = 1 - Math.exp(-nanos / (present > endedPerSecond ? RISE_NANOS : FALL_NANOS));
    var rate = endedPerSecond + weight * (present - endedPerSecond);
    endedPerSecond = rate;
    endedBefore = ended;
    updatedAt = now;
    var inTime = (int) Math.min(pendingMax, rate * WAIT_AIM * waitMax.toNanos() / NANOS_A_SECOND);
    limit = isSlow ? Math.max(pendingMin, inTime) : pendingMax;
  }

  boolean isReached(int pending) {
    return pending >= limit;
  }

  /// How long the pending calls take at the present rate.
  Duration retryAfter(int pending) {
    var seconds = pending / Math.max(1, endedPerSecond);
    var estimate = Duration.ofMillis((long) (1_000 * seconds));
    var atLeast = estimate.compareTo(RETRY_MIN) > 0 ? estimate : RETRY_MIN;
    return atLeast.compareTo(RETRY_MAX) < 0 ? atLeast : RETRY_MAX;
  }
}
