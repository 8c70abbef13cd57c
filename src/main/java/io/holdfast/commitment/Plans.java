package io.holdfast.commitment;

import java.util.concurrent.atomic.AtomicLong;

/// Lets Postgres plan its statements anew each time that twice as many have run. A plan is made
/// once and kept, and one that was made for an empty table walks through a full one; until Postgres
/// analyses the table, up to a minute passes, in which thousands of sales are made.
final class Plans {
  private static final AtomicLong RUNS = new AtomicLong();

  private Plans() {}

  /// The statement under a name that changes with the doublings; statements are prepared by text.
  static String current(String sql) {
    return "/* " + (Long.SIZE - Long.numberOfLeadingZeros(RUNS.get())) + " */ " + sql;
  }

  static void ran() {
    RUNS.incrementAndGet();
  }
}
