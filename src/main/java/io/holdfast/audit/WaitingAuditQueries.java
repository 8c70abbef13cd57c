package io.holdfast.audit;

import io.holdfast.audit.AuditQuery.Check;
import java.util.List;

/// Checks of waiting rooms: tickets are admitted in the order of their places, and a raffle gives
/// the places of its seed.
final class WaitingAuditQueries {
  private WaitingAuditQueries() {}

  /// Times of tickets are those of Redis and times of admissions those of Postgres, so five seconds
  /// are tolerated between them. A ticket may have ended in lines that are not drained yet, so only
  /// admissions before the cursor of the journal count against it. Its end may also have been lost
  /// with Redis, so only admissions since the last such loss count. A requeued ticket lost its
  /// place and is checked no more. The first admission behind a ticket is the earliest one, because
  /// times never fall.
  private static final AuditQuery ADMISSIONS =
      new AuditQuery(
          """
          SELECT (SELECT count(*) FROM admission),
                 (SELECT count(*)
                    FROM (SELECT admitted_at < lag(admitted_at) OVER
                                   (PARTITION BY pool ORDER BY place) AS falls
                            FROM admission) AS ordered
                   WHERE falls)
                 + (SELECT count(*)
                      FROM ticket t JOIN journal_cursor c USING (pool)
                     WHERE NOT t.requeued
                       AND NOT EXISTS (SELECT 1 FROM admission a
                                        WHERE a.pool = t.pool AND a.number = t.number)
                       AND (SELECT a.admitted_at FROM admission a
                             WHERE a.pool = t.pool AND a.place > t.place
                               AND a.admitted_at > coalesce(
                                     (SELECT max(e.opened_at) FROM fence_epoch e
                                       WHERE e.pool = t.pool AND e.opened_at > t.joined_at
                                         AND e.cause <> 'FIRST'
                                         AND (t.ended_at IS NULL OR e.opened_at < t.ended_at)),
                                     '-infinity')
                             ORDER BY a.place LIMIT 1)
                           < least(t.ended_at, to_timestamp(c.stream_ms::float8 / 1000))
                             - interval '5 s')
                 + (SELECT count(*) - count(DISTINCT (pool, place)) FROM admission)
                 + (SELECT count(*)
                      FROM (SELECT pool, max(place) AS last FROM admission GROUP BY pool) AS a
                      LEFT JOIN sequence_cursor s USING (pool)
                     WHERE coalesce(s.committed_sequence, 0) < a.last)
          """,
          new Check(
              "P8",
              "Tickets were admitted in the order of their places, and no waiting one was passed"
                  + " over"));

  /// The places in ascending order belong to the tickets in the order of their hashes.
  private static final AuditQuery RAFFLES =
      new AuditQuery(
          """
          SELECT count(*), count(*) FILTER (WHERE hash < before)
            FROM (SELECT hash, lag(hash) OVER (PARTITION BY pool ORDER BY place) AS before
                    FROM (SELECT p.pool, p.place,
                                 sha256(r.seed || convert_to(p.number::text, 'UTF8')) AS hash
                            FROM raffle_place p JOIN raffle r USING (pool)) AS drawn) AS ordered
          """,
          new Check(
              "AU-RAFFLE", "The places of each raffle are those that its published seed gives"));

  static final List<AuditQuery> ALL = List.of(ADMISSIONS, RAFFLES);
}
