package io.holdfast.waiting;

import io.holdfast.pool.PoolName;
import jakarta.inject.Singleton;

/// Ends the waiting tickets that gave no sign of life in time. It runs before admissions, because a
/// place that goes to an absent requester is lost until the pass ends.
@Singleton
final class TicketSweep {
  /// Tickets that one call of the script ends at most.
  static final int TICKETS_MAX = 200;

  /// Calls in a row. All tickets that were absent during a loss of Redis lapse in one instant.
  private static final int REPETITIONS_MAX = 50;

  private final WaitingScripts scripts;

  TicketSweep(WaitingScripts scripts) {
    this.scripts = scripts;
  }

  enum Swept {
    /// Every ticket that waits has given a sign of life in time.
    ALL,
    /// More tickets are overdue than one sweep may end.
    SOME,
    /// The pool is not open in Redis.
    NOT_OPEN
  }

  Swept sweep(PoolName pool) {
    for (var repetition = 0; repetition < REPETITIONS_MAX; repetition++) {
      var swept = scripts.sweep(pool, TICKETS_MAX);
      if (swept.isEmpty()) {
        return Swept.NOT_OPEN;
      }
      if (swept.getAsInt() < TICKETS_MAX) {
        return Swept.ALL;
      }
    }
    return Swept.SOME;
  }
}
