package io.holdfast.bench;

import java.util.List;
import java.util.stream.Stream;

/// Old sales: rows in every table that a sale writes except the items. They belong to pools that
/// get no more requests.
final class OldSales {
  private static final long STEP = 500_000;

  private static final List<String> TABLES =
      List.of(
          """
          INSERT INTO hold (pool, hold_id, caller, requester, items, fence, salt, token, placed_at,
                            lease_until, lease_ms, expires_at, pin_no, state, ended_at)
          SELECT $pool, $hold, 'operator', 'u-' || n, ARRAY['S-' || n], n + 1, '0123456789abcdef',
                 $token, now() - interval '2 h', now() - interval '1 h', 1200000,
                 now() - interval '1 h', 1, 'CONFIRMED', now() - interval '90 min'\
          """,
          """
          INSERT INTO consumed_request (pool, caller, logical_key, protocol_version, operation,
                      target, artifact_hash, owner_binding, run_id, replay_key, order_id, token,
                      consumed_at)
          SELECT $pool, 'operator', 'hold:' || $hold, '1', 'confirm', $hold, '$digest',
                 E'operator\\tu-' || n, $pool, sha256(convert_to($hold, 'UTF8')), 'order-' || n,
                 $token, now()\
          """,
          """
          INSERT INTO commitment (pool, item, hold_id, fence, caller, requester, order_id,
                      logical_key, price_cents, currency, committed_at)
          SELECT $pool, 'S-' || n, $hold, n + 1, 'operator', 'u-' || n, 'order-' || n,
                 'hold:' || $hold, 5000, 'EUR', now() - interval '90 min'\
          """,
          """
          INSERT INTO token_result (pool, caller, token, action, digest, digest_function, outcome,
                      recorded_at, window_until)
          SELECT $pool, 'operator', $token, 'confirm', '$digest', '1',
                 E'CONFIRMED\\t$digest$digest$digest' || n, now(), now() + interval '1 day'\
          """,
          """
          INSERT INTO attempt (pool, caller, token, action, hold_id, logical_key, outcome, detail)
          SELECT $pool, 'operator', $token, 'confirm', $hold, 'hold:' || $hold, 'CONFIRMED', ''\
          """,
          """
          INSERT INTO verification (pool, hold_id, passed, detail) SELECT $pool, $hold, true, ''\
          """);

  private OldSales() {}

  /// Triggers are disabled, because they would look up the item of each row and take hours.
  static void fill(Database database, long count) {
    for (long first = 0; first < count; first += STEP) {
      var last = Math.min(first + STEP, count) - 1;
      var rows = " FROM generate_series(%d, %d) AS n".formatted(first, last);
      database.run(
          Stream.concat(
                  Stream.of("SET session_replication_role = replica"),
                  TABLES.stream().map(insert -> written(insert) + rows))
              .toArray(String[]::new));
      Progress.say("%,d old sales", last + 1);
    }
    database.run("VACUUM ANALYZE", "CHECKPOINT");
  }

  private static String written(String insert) {
    return insert
        .replace("$pool", "'old' || n / 100000")
        .replace("$hold", "'old' || n / 100000 || '~1z141z5~' || n")
        .replace("$token", "convert_to('bench-o-0123456789012345678901-' || n, 'UTF8')")
        .replace("$digest", "0123456789abcdef".repeat(4));
  }
}
