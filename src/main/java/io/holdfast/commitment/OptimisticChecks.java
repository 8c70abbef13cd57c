package io.holdfast.commitment;

import io.holdfast.commitment.PinResult.Pinned;
import io.holdfast.pool.Epoch;
import io.holdfast.postgres.Columns;
import io.holdfast.postgres.Plans;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// What a sale that nothing was read for asks as it is written: nobody else is at its token or its
/// logical key, and Redis has not begun anew since the pin. All else is a condition of what is
/// written.
final class OptimisticChecks {
  /// Somebody who lost the answer waits for the end of this transaction by the same names.
  static final String NAMES =
      """
      SELECT NULL::text, NULL::text, 0
        FROM unnest(?::bigint[], ?::bigint[]) AS given (token, key)
       WHERE pg_try_advisory_xact_lock(token) AND pg_try_advisory_xact_lock(key)
      """;

  /// The epoch cannot rise while somebody sells in it.
  static final String LIVES =
      """
      SELECT NULL::text, NULL::text, 0
        FROM unnest(?::text[], ?::bigint[]) AS given (pool, epoch)
        JOIN pool ON pool.pool = given.pool AND pool.epoch = given.epoch
         FOR SHARE OF pool
      """;

  /// There are as many texts as the program has.
  private static final Map<String, String> NEW = new ConcurrentHashMap<>();

  private OptimisticChecks() {}

  /// The life of Redis' memory that a pin is in.
  record Life(String pool, Epoch epoch) {}

  static String settings(Duration lockMax) {
    return "SELECT set_config('lock_timeout', '%d', true), %s;\n"
        .formatted(lockMax.toMillis(), Plans.BY_INDEX.replace('\n', ' '));
  }

  /// An INSERT that fails where there is such a row already.
  static String asNew(String sql) {
    return NEW.computeIfAbsent(sql, text -> text.substring(0, text.indexOf("ON CONFLICT")));
  }

  static List<Life> lives(List<ConfirmRequest> requests) {
    return requests.stream()
        .filter(request -> request.intent() instanceof Pinned)
        .map(request -> life(request, (Pinned) request.intent()))
        .distinct()
        .toList();
  }

  private static Life life(ConfirmRequest request, Pinned pinned) {
    return new Life(request.pool().name().value(), pinned.epoch());
  }

  static int bindNames(Columns.Slots slots, List<ConfirmRequest> requests) throws SQLException {
    return slots.of(requests).number(AdvisoryLocks::ofToken).number(AdvisoryLocks::ofKey).next();
  }

  static int bindLives(Columns.Slots slots, List<Life> lives) throws SQLException {
    return slots.of(lives).text(Life::pool).number(life -> life.epoch.value()).next();
  }
}
