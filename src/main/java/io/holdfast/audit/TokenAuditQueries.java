package io.holdfast.audit;

import java.util.List;

/// What the records must show of tokens: in its window each has one use and one answer.
final class TokenAuditQueries {
  private TokenAuditQueries() {}

  /// A replay leaves no line, so the next line under a token has to lie behind its window.
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
          new Check("IR-INV-1", "A placing under a token in its window has one outcome"),
          new Check("IR-INV-2", "So has a confirm, a release or an expiry"),
          new Check("IR-INV-3", "No token in its window has two holds"),
          new Check("IR-INV-4", "No token in its window was spent on two requests"),
          new Check("IR-INV-8", "Whatever was done under a token was done once in its window"),
          new Check(
              "DP-INV-1", "What is under guard is not recorded again before its window ends"));

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
          new Check("IR-INV-6", "No retry has made a window longer than the pool's policy has it"),
          new Check("DP-INV-4", "What has left its window is gone, as far as anybody purges"));

  /// An entry lives for a day at most. Of a confirm Postgres keeps the outcome and Redis tells of
  /// it afterwards, by a clock of its own, which may be seconds away.
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
          new Check("DP-INV-2", "What is recorded again under guard keeps the time it had"),
          new Check("P2", "What a token keeps is what the journal says was answered"));

  private static final AuditQuery LIVE =
      new AuditQuery(
          """
          SELECT count(*), count(*) FILTER (WHERE t.token IS NULL)
            FROM journal j LEFT JOIN token_result t USING (pool, caller, token)
           WHERE j.action IS NOT NULL
             AND j.recorded_at > now() - interval '2 days'
             AND j.happened_at + j.window_ms * interval '1 millisecond' > now()
          """,
          new Check("IR-INV-7", "No entry has gone while its token was in its window"));

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
          new Check("DP-INV-3", "Asking again got the first answer, and changed nothing"));

  static final List<AuditQuery> ALL = List.of(USES, WINDOWS, ENTRIES, LIVE, REPLAYS);
}
