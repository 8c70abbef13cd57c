package io.holdfast.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicLong;

/// How Postgres plans the statements of the hot paths: by index, and anew each time that twice as
/// many have run. A plan is made once and kept, and one that was made for an empty table walks
/// through a full one; until Postgres analyses the table, up to a minute passes, in which thousands
/// of sales are made.
public final class Plans {
  /// For as long as the transaction lasts. The planner knows little of tables that are small today
  /// and large in a minute; every look-up of the hot paths has its index.
  public static final String BY_INDEX =
      """
      set_config('enable_seqscan', 'off', true),
      set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
      set_config('plan_cache_mode', 'force_generic_plan', true), set_config('jit', 'off', true)\
      """;

  private static final AtomicLong RUNS = new AtomicLong();

  private Plans() {}

  /// For a transaction that has no round trip to put it into.
  public static void byIndex(Connection connection) throws SQLException {
    try (var settings = connection.prepareStatement("SELECT " + BY_INDEX)) {
      settings.execute();
    }
  }

  /// The statement under a name that changes with the doublings; statements are prepared by text.
  public static String current(String sql) {
    return "/* " + (Long.SIZE - Long.numberOfLeadingZeros(RUNS.get())) + " */ " + sql;
  }

  public static void ran() {
    RUNS.incrementAndGet();
  }
}
