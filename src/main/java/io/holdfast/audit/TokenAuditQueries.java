package io.holdfast.audit;

import io.holdfast.audit.AuditQuery.Check;
import java.util.List;

/// Checks of tokens: within its window each has one use and one answer.
final class TokenAuditQueries {
  private TokenAuditQueries() {}

  /// A replay writes no journal line, so the next line of a token must be after its window.
  private static final AuditQuery USES =
      new AuditQuery(
          """
          SELECT count(*),
                 count(*) FILTER (WHERE is_early AND action = 'place_hold'),
                 count(*) FILTER (WHERE is_early AND action <> 'place_hold'),
                 count(*) FILTER (WHERE is_early AND hold_id <> next_hold_id),
                 count(*) FILTER (WHERE is_early AND (action, digest) <> (next_action, next_digest)),
                 count(*) FILTER (WHERE is_early AND hold_id IS NOT NULL),
                 count(*) FILTER (WHERE is_early)
            FROM (SELECT action, digest, hold_id,
                         lead(recorded_at) OVER w
                           < recorded_at + window_ms * interval '1 millisecond' AS is_early,
                         lead(action) OVER w AS next_action,
                         lead(digest) OVER w AS next_digest,
                         lead(hold_id) OVER w AS next_hold_id
                    FROM journal
                   WHERE action IS NOT NULL
                  WINDOW w AS (PARTITION BY token, pool, caller ORDER BY recorded_at, stream_seq)) calls
          """,
          new Check("IR-INV-1", "A placement under a token has one outcome in its window"),
          new Check(
              "IR-INV-2",
              "A confirm, a release or an expiry under a token has one outcome in its window"),
          new Check("IR-INV-3", "No token has two holds in its window"),
          new Check("IR-INV-4", "No token was used for two requests in its window"),
          new Check("IR-INV-8", "An effect under a token happened once in its window"),
          new Check("DP-INV-1", "No identity was recorded again before the end of its window"));

  private static final AuditQuery WINDOWS =
      new AuditQuery(
          """
          SELECT count(*),
                 count(*) FILTER (WHERE window_until - recorded_at > longest),
                 count(*) FILTER (WHERE window_until < purged_at - interval '1 hour')
            FROM (SELECT recorded_at, window_until,
                         make_interval(secs => coalesce(
                           (policy ->> 'idempotencyWindowSeconds')::float8, 60)) AS longest,
                         (SELECT max(until) FROM lease WHERE name = 'purge') AS purged_at
                    FROM token_result JOIN pool USING (pool)) entries
          """,
          new Check("IR-INV-6", "No retry has extended a window beyond the policy of its pool"),
          new Check("DP-INV-4", "Expired entries are deleted, up to the last purge"));

  /// An entry lives for a day at most. The outcome of a confirm is stored by Postgres and journaled
  /// later by Redis, whose clock may differ by seconds.
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
                                    AND rtrim(t.outcome, E'\\t')
                                        <> rtrim(j.word || E'\\t' || j.detail, E'\\t'))
            FROM token_result t
            JOIN (SELECT *, happened_at + window_ms * interval '1 millisecond' AS until
                    FROM journal
                   WHERE recorded_at > now() - interval '3 days') j USING (pool, caller, token)
          """,
          new Check("DP-INV-2", "An identity that is recorded again in its window keeps its time"),
          new Check("P2", "The stored answer of a token is the one in the journal"));

  private static final AuditQuery LIVE =
      new AuditQuery(
          """
          SELECT count(*), count(*) FILTER (WHERE t.token IS NULL)
            FROM journal j LEFT JOIN token_result t USING (pool, caller, token)
           WHERE j.action IS NOT NULL
             AND j.recorded_at > now() - interval '2 days'
             AND j.happened_at + j.window_ms * interval '1 millisecond' > now()
          """,
          new Check("IR-INV-7", "No entry was deleted before the end of its window"));

  private static final AuditQuery REPLAYS =
      new AuditQuery(
          """
          SELECT count(*),
                 count(*) FILTER (
                   WHERE again.outcome <> first.outcome
                     AND again.recorded_at < first.recorded_at - interval '1 second'
                         + make_interval(secs => coalesce(
                             (policy ->> 'idempotencyWindowSeconds')::float8, 60)))
            FROM (SELECT pool, recorded_at, detail, outcome,
                         max(id) FILTER (WHERE detail <> 'replayed') OVER w AS first_id
                    FROM attempt
                   WHERE outcome ~ '^[A-Z_]+$' AND outcome <> 'ROLLED_BACK'
                  WINDOW w AS (PARTITION BY pool, caller, token ORDER BY id)) again
            JOIN attempt first ON first.pool = again.pool AND first.id = again.first_id
            JOIN pool ON pool.pool = again.pool
           WHERE again.detail = 'replayed'
          """,
          new Check("DP-INV-3", "A replay returned the first answer and changed nothing"));

  static final List<AuditQuery> ALL = List.of(USES, WINDOWS, ENTRIES, LIVE, REPLAYS);
}
