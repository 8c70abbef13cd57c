package io.holdfast.audit;

import io.holdfast.audit.AuditQuery.Check;
import java.util.List;

/// Checks of tokens: within its window each has one use and one answer.
final class TokenAuditQueries {
  private TokenAuditQueries() {}

  /// A replay writes no journal line, so the next use of a token must be after its window.
  private static final AuditQuery USES =
      AuditQuery.sinceHorizon(
          """
          SELECT count(*),
                 count(*) FILTER (WHERE is_early AND action = 'place_hold'),
                 count(*) FILTER (WHERE is_early AND action <> 'place_hold'),
                 count(*) FILTER (WHERE is_early AND hold_id <> next_hold_id),
                 count(*) FILTER (WHERE is_early AND (action, digest_print) <> (next_action, next_digest)),
                 count(*) FILTER (WHERE is_early AND hold_id IS NOT NULL),
                 count(*) FILTER (WHERE is_early)
            FROM (SELECT action, digest_print, hold_id,
                         lead(recorded_at) OVER w
                           < recorded_at + window_ms * interval '1 millisecond' AS is_early,
                         lead(action) OVER w AS next_action,
                         lead(digest_print) OVER w AS next_digest,
                         lead(hold_id) OVER w AS next_hold_id
                    FROM token_use
                  WINDOW w AS (PARTITION BY print, pool, caller ORDER BY recorded_at, stream_seq)) calls
          """,
          new Check("IR-INV-1", "A placement under a token has one outcome in its window"),
          new Check(
              "IR-INV-2",
              "A confirm, a release or an expiry under a token has one outcome in its window"),
          new Check("IR-INV-3", "No token has two holds in its window"),
          new Check("IR-INV-4", "No token was used for two requests in its window"),
          new Check("IR-INV-8", "An effect under a token happened once in its window"),
          new Check("DP-INV-1", "No identity was recorded again before the end of its window"));

  /// An entry has the window that its pool had when it was written, which a change may have made
  /// shorter since.
  private static final AuditQuery WINDOWS =
      new AuditQuery(
          """
          WITH longest AS (
              SELECT p.pool,
                     greatest(coalesce((p.policy ->> 'commitWindowSeconds')::float8, 86400),
                              max((r.rules ->> 'commitWindowSeconds')::float8)) AS of_sales,
                     greatest(coalesce((p.policy ->> 'idempotencyWindowSeconds')::float8, 600),
                              max((r.rules ->> 'idempotencyWindowSeconds')::float8)) AS of_others
                FROM pool p
                     LEFT JOIN pool_change c ON c.pool = p.pool AND c.kind = 'CHANGED'
                     LEFT JOIN LATERAL (VALUES (c.detail -> 'before'), (c.detail -> 'after'))
                               AS r (rules) ON true
               GROUP BY p.pool)
          SELECT count(*),
                 count(*) FILTER (WHERE window_until - recorded_at > make_interval(
                     secs => CASE action WHEN 'confirm' THEN of_sales ELSE of_others END)),
                 count(*) FILTER (WHERE window_until < purged_at - interval '1 hour')
            FROM token_result JOIN longest USING (pool)
                 CROSS JOIN (SELECT max(until) AS purged_at FROM lease WHERE name = 'purge') purge
          """,
          new Check("IR-INV-6", "No retry has extended a window beyond the policies of its pool"),
          new Check("DP-INV-4", "Expired entries are deleted, up to the last purge"));

  /// Looks at the entries of the last days. The outcome of a confirm is stored by Postgres and
  /// journaled later by Redis, whose clock may differ by seconds. The journal has a pseudonym in
  /// the place of the requester, and no metadata; that the pseudonym is right is checked with the
  /// hold.
  private static final AuditQuery ENTRIES =
      new AuditQuery(
          """
          SELECT count(*),
                 count(*) FILTER (WHERE t.action <> 'confirm' AND j.action <> 'confirm'
                                    AND j.happened_at < t.recorded_at - interval '5 seconds'
                                    AND until > t.recorded_at),
                 count(*) FILTER (WHERE j.action = t.action
                                    AND (j.happened_at = t.recorded_at
                                         OR t.action = 'confirm' AND j.happened_at >= t.recorded_at
                                                                 AND j.happened_at < t.window_until)
                                    AND CASE WHEN j.outcome IS NULL
                                             THEN outcome_print(t.outcome) <> j.outcome_print
                                             ELSE rtrim(unnamed_outcome(t.outcome, '', ''), E'\\t')
                                                  <> rtrim(unnamed_outcome(j.outcome, '', ''), E'\\t')
                                                  OR split_part(t.outcome, E'\\t', 6) <>
                                                     (SELECT h.requester FROM hold h
                                                       WHERE h.pool = j.pool AND h.hold_id = j.hold_id
                                                         AND h.requester NOT LIKE 'shredded:%') END)
            FROM (SELECT *, token_print(token) AS print FROM token_result) t
            JOIN (SELECT *, happened_at + window_ms * interval '1 millisecond' AS until
                    FROM token_use
                   WHERE line_at > now() - interval '3 days') j USING (pool, caller, print)
          """,
          new Check("DP-INV-2", "An identity that is recorded again in its window keeps its time"),
          new Check("P2", "The stored answer of a token is the one in the journal"));

  private static final AuditQuery LIVE =
      new AuditQuery(
          """
          SELECT count(*), count(*) FILTER (WHERE t.token IS NULL)
            FROM token_use j
            LEFT JOIN (SELECT *, token_print(token) AS print FROM token_result) t
                   USING (pool, caller, print)
           WHERE j.line_at > now() - interval '2 days'
             AND j.happened_at + j.window_ms * interval '1 millisecond' > now()
          """,
          new Check("IR-INV-7", "No entry was deleted before the end of its window"));

  /// The first part reads the counted replays; the uses of their tokens are lines of one call, or
  /// counted with others. The second part reads the attempts of versions that recorded each replay
  /// of a confirm.
  private static final AuditQuery REPLAYS =
      AuditQuery.sinceHorizon(
          """
          SELECT count(*), count(*) FILTER (WHERE is_changed)
            FROM (
          SELECT count(DISTINCT (j.word, coalesce(j.hold_id, ''))) > 1 AS is_changed
            FROM token_replay r
            LEFT JOIN token_use j
                   ON j.pool = r.pool AND j.caller = r.caller AND j.print = token_print(r.token)
                  AND j.recorded_at BETWEEN r.used_at - interval '500 ms' AND r.last_at
           WHERE r.token IS NOT NULL
           GROUP BY r.token_hash, r.caller, r.route, r.used_at
           UNION ALL
          SELECT again.outcome <> first.outcome
                     AND again.recorded_at < first.recorded_at - interval '1 second'
                         + make_interval(secs => coalesce(
                             (policy ->> 'commitWindowSeconds')::float8, 86400))
            FROM (SELECT pool, recorded_at, detail, outcome,
                         max(id) FILTER (WHERE detail <> 'replayed') OVER w AS first_id
                    FROM attempt
                   WHERE outcome ~ '^[A-Z_]+$' AND outcome <> 'ROLLED_BACK'
                  WINDOW w AS (PARTITION BY pool, caller, token ORDER BY id)) again
            JOIN attempt first ON first.pool = again.pool AND first.id = again.first_id
            JOIN pool ON pool.pool = again.pool
           WHERE again.detail = 'replayed') replays
          """,
          new Check("DP-INV-3", "A replay returned the first answer and changed nothing"));

  static final List<AuditQuery> ALL = List.of(USES, WINDOWS, ENTRIES, LIVE, REPLAYS);
}
