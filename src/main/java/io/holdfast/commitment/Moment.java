package io.holdfast.commitment;

import io.holdfast.pool.OutcomeCodec;
import io.holdfast.postgres.Columns;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// When a sale is made: Postgres' clock, in whole milliseconds, once its items are had. So it is
/// known only while all is being written, and statements that are handed a time take it for the
/// earliest that it may be.
final class Moment {
  /// Stands in an outcome where the time belongs. No name and no token has such a character in it.
  static final String UNKNOWN = OutcomeCodec.OPEN_TIME;

  /// Whoever waited for a lock may be late by now, which the compare-and-set does not ask again.
  static final String IN_TIME =
      "SELECT NULL::text, NULL::text, 0 FROM moment WHERE at < to_timestamp(?::float8 / 1000)";

  private static final String GIVEN = "to_timestamp(at_ms::float8 / 1000)";
  private static final String GIVEN_END = "to_timestamp(ended_ms::float8 / 1000)";

  /// There are as many texts as the program has.
  private static final Map<String, String> TEXTS = new ConcurrentHashMap<>();

  private Moment() {}

  /// What the rewritten statements refer to.
  ///
  /// @param behind the name of the part that it comes after, or nothing
  static String part(String behind) {
    return """
    moment (at, ms) AS MATERIALIZED (
        SELECT at, (extract(epoch FROM at) * 1000)::bigint
          FROM (SELECT date_trunc('milliseconds', clock_timestamp()) AS at%s) AS clock)\
    """
        .formatted(
            behind.isEmpty() ? "" : " FROM (SELECT count(*) FROM %s) AS done".formatted(behind));
  }

  /// The statement with the time at which it runs.
  static String text(String sql) {
    return TEXTS.computeIfAbsent(sql, Moment::made);
  }

  private static String made(String sql) {
    var at = "greatest((SELECT at FROM moment), %s)";
    return sql.replace(GIVEN, at.formatted(GIVEN))
        .replace(
            GIVEN_END,
            "CASE WHEN ended_ms IS NOT NULL THEN %s END".formatted(at.formatted(GIVEN_END)))
        .replace(
            "given.outcome",
            "replace(given.outcome, E'\\x01', greatest((SELECT ms FROM moment), at_ms)::text)");
  }

  static int bind(Columns.Slots slots, List<Instant> deadline) throws SQLException {
    slots.statement().setLong(slots.first(), deadline.getFirst().toEpochMilli());
    return slots.first() + 1;
  }

  /// Whether it is this outcome, at whatever time.
  static boolean isSame(String stored, String outcome) {
    var gap = outcome.indexOf(UNKNOWN);
    return gap < 0
        ? stored.equals(outcome)
        : stored.startsWith(outcome.substring(0, gap))
            && stored.endsWith(outcome.substring(gap + 1))
            && stored
                .substring(gap, stored.length() - outcome.length() + gap + 1)
                .matches("[0-9]+");
  }
}
