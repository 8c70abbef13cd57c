package io.holdfast.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/// One sale as plain SQL: the rows and conditions of the service, with the verification. The
/// messages to Redis are left out.
///
/// @param texts with `:seat` wherever the number of the sale belongs
record RivalSale(List<String> texts) {
  static final String POOL = "rival";
  private static final String HOLD_ID = "'rival~1z141z5~0123456789-' || :seat::text";
  private static final String ITEM = "'S-' || :seat::text";
  private static final String TOKEN =
      "convert_to('bench-r-01234567890123456789012-' || :seat::text, 'UTF8')";
  private static final String DIGEST = "0123456789abcdef".repeat(4);

  private static final List<String> ROWS =
      List.of(
          """
          UPDATE hold SET state = 'CONFIRMED', pin_no = 1, ended_at = now()
           WHERE pool = 'rival' AND hold_id = $hold AND state = 'HELD' AND pin_no <= 1\
          """,
          """
          UPDATE item SET status = 'SOLD', fence = :seat::bigint + 1, holder = $hold, claim_until = NULL
           WHERE pool = 'rival' AND item = $item AND status = 'FREE'
             AND fence < :seat::bigint + 1 AND clock_timestamp() < now() + interval '10 s'\
          """,
          """
          INSERT INTO consumed_request (pool, caller, logical_key, protocol_version, operation,
                      target, artifact_hash, owner_binding, run_id, replay_key, order_id, token,
                      consumed_at)
          VALUES ('rival', 'operator', 'hold:' || $hold, '1', 'confirm', $hold, '$digest',
                  E'operator\\tu-' || :seat::text, 'rival', sha256(convert_to($hold, 'UTF8')),
                  'order-' || :seat::text, $token, now())\
          """,
          """
          INSERT INTO commitment (pool, item, hold_id, fence, caller, requester, order_id,
                      logical_key, price_cents, currency, committed_at)
          VALUES ('rival', $item, $hold, :seat::bigint + 1, 'operator', 'u-' || :seat::text,
                  'order-' || :seat::text, 'hold:' || $hold, 5000, 'EUR', now())\
          """,
          """
          INSERT INTO token_result (pool, caller, token, action, digest, digest_function, outcome,
                      recorded_at, window_until)
          VALUES ('rival', 'operator', $token, 'confirm', '$digest', '1',
                  E'CONFIRMED\\t$digest$digest$digest' || :seat::text, now(),
                  now() + interval '60 s')\
          """,
          """
          INSERT INTO outbox (pool, hold_id, topic) VALUES ('rival', $hold, 'settle')\
          """,
          """
          INSERT INTO event_fresh (pool, type, subject, data)
          VALUES ('rival', 'hold.confirmed', $hold, '')\
          """,
          """
          INSERT INTO attempt (pool, caller, token, action, hold_id, logical_key, outcome, detail)
          VALUES ('rival', 'operator', $token, 'confirm', $hold, 'hold:' || $hold, 'CONFIRMED', '')\
          """,
          """
          INSERT INTO verification (pool, hold_id, passed, detail) VALUES ('rival', $hold, true, '')\
          """);

  /// One transaction of as many statements as there are tables.
  static RivalSale ofStatements() {
    var texts = new ArrayList<String>();
    texts.add("BEGIN");
    ROWS.forEach(row -> texts.add(written(row)));
    texts.add("COMMIT");
    return new RivalSale(List.copyOf(texts));
  }

  /// The same rows by one statement, which is a transaction by itself.
  static RivalSale ofOneStatement() {
    var last = ROWS.size() - 1;
    var parts =
        IntStream.range(0, last).mapToObj(i -> "part%d AS (%s)".formatted(i, ROWS.get(i))).toList();
    return new RivalSale(
        List.of(written("WITH " + String.join(",\n", parts) + "\n" + ROWS.get(last))));
  }

  /// The rows that exist before the sale.
  static String stock(long count) {
    return """
    INSERT INTO pool (pool, kind) SELECT 'rival', 'SEATS' WHERE NOT EXISTS (SELECT 1 FROM pool);
    INSERT INTO item (pool, item, ordinal, section, row, number, x, y, price_cents)
    SELECT 'rival', $item, n, 'A', (n / 500)::text, n % 500, n % 500, n / 500, 5000
      FROM generate_series(0, $last) AS n;
    INSERT INTO hold (pool, hold_id, caller, requester, items, fence, salt, token, placed_at,
                      lease_until, lease_ms, expires_at, state)
    SELECT 'rival', $hold, 'operator', 'u-' || n::text, ARRAY[$item], n + 1, '0123456789abcdef',
           $token, now(), now() + interval '1200 s', 1200000, now() + interval '1800 s', 'HELD'
      FROM generate_series(0, $last) AS n;
    """
        .transform(RivalSale::written)
        .replace(":seat", "n")
        .replace("$last", Long.toString(count - 1));
  }

  private static String written(String text) {
    return text.replace("$hold", HOLD_ID)
        .replace("$item", ITEM)
        .replace("$token", TOKEN)
        .replace("$digest", DIGEST);
  }
}
