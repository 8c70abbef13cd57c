package io.holdfast.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.postgresql.PGConnection;

/// Makes Postgres plan the statements of the hot paths by index, and replan them each time twice as
/// many have run. Postgres caches a plan; a plan made for an empty table scans the full table
/// later. Postgres analyses a table only after up to a minute, in which thousands of sales are
/// made.
public final class Plans {
  /// Applies until the transaction ends. The planner has no useful statistics of tables that grow
  /// fast; every look-up of the hot paths has its index.
  public static final String BY_INDEX =
      """
      set_config('enable_seqscan', 'off', true),
      set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
      set_config('plan_cache_mode', 'force_generic_plan', true), set_config('jit', 'off', true)\
      """;

  private static final AtomicLong RUNS = new AtomicLong();

  /// The plan generation of each connection.
  private static final Map<PGConnection, Integer> GENERATIONS =
      Collections.synchronizedMap(new WeakHashMap<>());

  private Plans() {}

  /// For a transaction whose statements cannot carry the settings.
  public static void byIndex(Connection connection) throws SQLException {
    try (var settings = connection.prepareStatement("SELECT " + BY_INDEX)) {
      settings.execute();
    }
  }

  /// Drops the cached plans of the connection if twice as many statements have run since it made
  /// them.
  static void renewIfOutdated(Connection connection) throws SQLException {
    var generation = Long.SIZE - Long.numberOfLeadingZeros(RUNS.incrementAndGet());
    var before = GENERATIONS.put(connection.unwrap(PGConnection.class), generation);
    if (before != null && before != generation) {
      try (var discard = connection.createStatement()) {
        discard.execute("DISCARD PLANS");
      }
    }
  }
}
