package io.holdfast.journal;

import io.holdfast.pool.Epoch;
import java.time.Duration;

/// Statistics of a pool in Redis.
///
/// @param lines journal lines that wait for Postgres
/// @param holds live holds
/// @param overdue how long the oldest lapsed hold has waited for the sweep
/// @param lag the age of the oldest line
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
