package io.holdfast.journal;

import io.holdfast.pool.Epoch;
import java.time.Duration;

/// How a pool is doing in Redis.
///
/// @param lines of its journal that wait for Postgres
/// @param holds that are live
/// @param overdue for how long the hold that should have ended first has waited for the sweep
/// @param lag how old the oldest line is
record PoolStats(Epoch epoch, long lines, long holds, Duration overdue, Duration lag) {

  static PoolStats of(String[] reply) {
    var now = number(reply, 6);
    return new PoolStats(
        new Epoch(number(reply, 1)),
        number(reply, 2),
        number(reply, 3),
        since(number(reply, 4), now),
        since(number(reply, 5), now));
  }

  private static Duration since(long moment, long now) {
    return Duration.ofMillis(Math.max(0, now - moment));
  }

  private static long number(String[] reply, int index) {
    return Long.parseLong(reply[index]);
  }
}
