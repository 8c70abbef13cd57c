package io.holdfast.audit;

import java.util.List;

/// What the records must show. A query counts what it looked at as well as what it found, so that
/// nobody takes an empty table for a proof.
final class Checks {
  private Checks() {}

  /// Calls under one token whose window had not elapsed when the next one was recorded.
  private static final String SAME_TOKEN =
      """
      SELECT count(*), count(*) FILTER (WHERE next_at < recorded_at + window_ms * interval '1 millisecond' %s)
        FROM (SELECT recorded_at, window_ms, action, digest, hold_id,
                     lead(recorded_at) OVER w AS next_at,
                     lead(action) OVER w AS next_action,
                     lead(digest) OVER w AS next_digest,
                     lead(hold_id) OVER w AS next_hold_id
                FROM journal
               WHERE action IS NOT NULL
              WINDOW w AS (PARTITION BY pool, caller, token ORDER BY recorded_at, stream_seq)) calls
      """;

  static final List<Check> ALL =
      List.of(
          new Check(
              "IR-INV-1",
              "A placing under a token in its window has one outcome",
              SAME_TOKEN.formatted("AND action = 'place_hold'")),
          new Check(
              "IR-INV-2",
              "So has a release or an expiry",
              SAME_TOKEN.formatted("AND action IN ('release', 'expire')")),
          new Check(
              "IR-INV-3",
              "No token in its window has two holds",
              SAME_TOKEN.formatted("AND hold_id <> next_hold_id")),
          new Check(
              "IR-INV-4",
              "No token in its window was spent on two requests",
              SAME_TOKEN.formatted("AND (action, digest) <> (next_action, next_digest)")),
          new Check(
              "IR-INV-6",
              "The window of an outcome is the one it was recorded with",
              """
              SELECT count(*),
                     count(*) FILTER (WHERE window_until <> happened_at
                                                            + window_ms * interval '1 millisecond')
                FROM token_result t
                JOIN journal j USING (pool, caller, token)
               WHERE j.happened_at = t.recorded_at AND j.action = t.action
              """),
          new Check(
              "IR-INV-8",
              "Whatever was done under a token was done once in its window",
              SAME_TOKEN.formatted("AND hold_id IS NOT NULL")),
          new Check(
              "PC-INV-1",
              "A hold is in exactly one state",
              """
              SELECT count(*),
                     count(*) FILTER (WHERE state NOT IN ('HELD', 'CONFIRMED', 'RELEASED', 'EXPIRED')
                                         OR (state = 'HELD') <> (ended_at IS NULL))
                FROM hold
              """),
          new Check(
              "PC-INV-3",
              "A hold ends once",
              """
              SELECT count(*), count(*) FILTER (WHERE ends > 1)
                FROM (SELECT count(*) AS ends FROM journal
                       WHERE word IN ('RELEASED', 'EXPIRED') GROUP BY pool, hold_id) ended
              """),
          new Check(
              "PC-INV-6",
              "A hold was placed before it expires",
              "SELECT count(*), count(*) FILTER (WHERE placed_at >= expires_at) FROM hold"),
          new Check(
              "PC-INV-8",
              "A hold ended after it was placed, and for want of time only after its time",
              """
              SELECT count(*),
                     count(*) FILTER (WHERE ended_at < placed_at
                                         OR end_reason = 'WINDOW' AND ended_at < expires_at
                                         OR end_reason = 'LEASE' AND ended_at < lease_until)
                FROM hold
              """),
          new Check(
              "PC-INV-9",
              "No id was given twice",
              """
              SELECT count(*), count(*) - count(DISTINCT (pool, hold_id)) FROM journal
               WHERE word = 'HELD'
              """),
          new Check(
              "PC-INV-10",
              "A hold that was placed is never deleted",
              """
              SELECT count(*), count(*) FILTER (WHERE hold.hold_id IS NULL)
                FROM journal LEFT JOIN hold USING (pool, hold_id)
               WHERE word = 'HELD'
              """),
          new Check(
              "P4",
              "Fences of a pool grow from line to line",
              """
              SELECT count(*), count(*) FILTER (WHERE fence <= before)
                FROM (SELECT fence, lag(fence) OVER
                               (PARTITION BY pool ORDER BY recorded_at, stream_seq) AS before
                        FROM journal WHERE word = 'HELD') placed
              """),
          new Check(
              "P6",
              "No item is in two live holds",
              """
              SELECT count(*), count(*) - count(DISTINCT (pool, item))
                FROM hold, unnest(items) AS item
               WHERE state = 'HELD'
              """));
}
