package io.holdfast.audit;

import io.holdfast.audit.AuditQuery.Check;
import java.util.List;

/// Checks of holds: each is placed once, keeps its content, and ends once.
final class HoldAuditQueries {
  private HoldAuditQueries() {}

  private static final AuditQuery ROWS =
      AuditQuery.sinceHorizon(
          """
          SELECT count(*),
                 count(*) FILTER (WHERE state NOT IN ('HELD', 'CONFIRMED', 'RELEASED', 'EXPIRED')
                                     OR (state = 'HELD') <> (ended_at IS NULL)),
                 count(*) FILTER (WHERE state = 'CONFIRMED' AND ended_at >= expires_at),
                 count(*) FILTER (WHERE ended_at < placed_at
                                     OR end_reason = 'WINDOW' AND ended_at < expires_at),
                 count(*) FILTER (WHERE end_reason = 'WINDOW' AND ended_at < expires_at
                                     OR end_reason = 'LEASE' AND ended_at < lease_until
                                     OR end_reason = 'LOST' AND fence >> 32 >= epoch)
            FROM hold JOIN pool USING (pool)
          """,
          new Check("PC-INV-1", "A hold is in exactly one state"),
          new Check("PC-INV-7", "Nothing was sold after its window"),
          new Check(
              "PC-INV-8",
              "A hold ended after it was placed, and by its window only after the window"),
          new Check(
              "P3", "No hold expired before its time, and none was lost without a new epoch"));

  /// Every journal line of a hold contains its record, with the pseudonym of the requester. While
  /// the key of the person exists, it shows that requester and pseudonym belong together. Fields 5,
  /// 8, 14, 15 and 17 of that are the requester, the window, the items, the quantity and the
  /// amount. A sale may take a part of the quantity, and a bid gets the lot when it wins. Field 10
  /// is the end: a hold that ended before the horizon may be gone, although a late line of its end,
  /// which Postgres decided, is still here.
  private static final AuditQuery JOURNAL =
      AuditQuery.sinceHorizon(
          """
          SELECT count(*),
                 count(*) FILTER (WHERE j.word IN ('CONFIRMED', 'RELEASED', 'EXPIRED')
                                    AND j.word <> h.state::text),
                 count(*) FILTER (WHERE j.fence <> h.fence),
                 count(*) FILTER (WHERE split_part(j.detail, E'\\t', 5) <> h.pseudonym
                                        AND h.pseudonym <> ''
                                        AND NOT EXISTS (
                                            SELECT 1 FROM shredding s
                                             WHERE s.pseudonym = h.requester
                                               AND j.recorded_at
                                                   > s.shredded_at - interval '1 minute')
                                     OR h.pseudonym <> '' AND k.id IS NULL
                                        AND NOT EXISTS (SELECT 1 FROM shredding s
                                                         WHERE s.pseudonym = h.requester)
                                     OR split_part(j.detail, E'\\t', 5) <> h.requester
                                        AND h.pseudonym = ''
                                        AND split_part(j.detail, E'\\t', 5) NOT LIKE 'p:%'
                                        AND h.requester NOT LIKE 'shredded:%'
                                     OR split_part(j.detail, E'\\t', 14)
                                        <> CASE WHEN h.quantity IS NULL
                                                 AND (h.amount_cents IS NULL
                                                      OR j.word = 'CONFIRMED')
                                                THEN array_to_string(h.items, E'\\n') ELSE '' END
                                     OR split_part(j.detail, E'\\t', 15)
                                        <> coalesce((h.quantity
                                                     + CASE WHEN j.word = 'CONFIRMED' THEN 0
                                                       ELSE coalesce(h.freed_quantity, 0) END
                                                    )::text, '')
                                     OR split_part(j.detail, E'\\t', 17)
                                        <> coalesce(h.amount_cents::text, '')),
                 count(*) FILTER (WHERE h.placed_at >= h.expires_at
                                     OR split_part(j.detail, E'\\t', 8)::bigint
                                        <> (extract(epoch FROM h.expires_at) * 1000)::bigint),
                 count(*) FILTER (WHERE j.word = 'HELD' AND j.happened_at <> h.placed_at),
                 count(*) FILTER (WHERE h.hold_id IS NULL
                                    AND j.recorded_at >= (SELECT records_since())
                                    AND (j.word NOT IN ('RELEASED', 'EXPIRED')
                                         OR nullif(split_part(j.detail, E'\\t', 10), '')::bigint
                                            >= (SELECT extract(epoch FROM records_since())) * 1000))
            FROM journal j
            LEFT JOIN hold h USING (pool, hold_id)
            LEFT JOIN person_key k
                   ON k.person_hash
                      = sha256(convert_to(h.caller || E'\\t' || h.requester, 'UTF8'))
                  AND k.pseudonym = h.pseudonym
           WHERE j.word IN ('HELD', 'SAME', 'CONFIRMED', 'RELEASED', 'EXPIRED')
             AND j.hold_id IS NOT NULL
          """,
          new Check("PC-INV-3", "A hold ends once, and no journal line contradicts its end"),
          new Check("PC-INV-4", "A hold keeps its id"),
          new Check("PC-INV-5", "A hold keeps its requester and its items"),
          new Check("PC-INV-6", "A hold was placed before it expires, and its window never moved"),
          new Check("PC-INV-9", "No id was given twice"),
          new Check(
              "PC-INV-10",
              "A hold that was placed is not deleted before the horizon of the records, and never"
                  + " after its sale"));

  /// An end in Redis has a journal line. An end that Postgres decided has an attempt, or it is the
  /// end of a bid at the close of its auction. Holds that ended before the horizon are kept longer
  /// than their lines if something needs them.
  private static final AuditQuery ENDS =
      AuditQuery.sinceHorizon(
          """
          SELECT (SELECT count(*) FROM hold WHERE state IN ('RELEASED', 'EXPIRED')), count(*)
            FROM hold h
           WHERE state IN ('RELEASED', 'EXPIRED')
             AND ended_at >= (SELECT records_since()) + interval '1 hour'
             AND NOT EXISTS (SELECT 1 FROM journal j
                              WHERE j.pool = h.pool AND j.hold_id = h.hold_id AND j.word = h.state::text
                                AND j.word IN ('RELEASED', 'EXPIRED'))
             AND NOT EXISTS (SELECT 1 FROM attempt a
                              WHERE a.pool = h.pool AND a.hold_id = h.hold_id
                                AND a.outcome = h.state::text)
             AND NOT EXISTS (SELECT 1 FROM auction a
                              WHERE a.pool = h.pool AND h.state = 'RELEASED'
                                AND h.amount_cents IS NOT NULL AND h.fence <= a.last_sequence
                                AND h.ended_at = greatest(a.closed_at, h.placed_at))
          """,
          new Check("PC-INV-2", "The end of every hold is recorded"));

  private static final AuditQuery FENCES =
      AuditQuery.sinceHorizon(
          """
          SELECT count(*), count(*) FILTER (WHERE fence <= before)
            FROM (SELECT fence, lag(fence) OVER
                           (PARTITION BY pool ORDER BY recorded_at, stream_seq) AS before
                    FROM journal WHERE word = 'HELD') placed
          """,
          new Check("P4", "The fences of a pool increase from journal line to journal line"));

  /// Leaves out a hold that was committed before its journal line was stored.
  private static final AuditQuery LIVE =
      new AuditQuery(
          """
          SELECT count(*), count(*) - count(DISTINCT (pool, item))
            FROM hold JOIN journal_cursor USING (pool), unnest(items) AS item
           WHERE state = 'HELD'
             AND placed_at < to_timestamp(stream_ms::float8 / 1000)
          """,
          new Check("PC-BH-2", "No item is in two live holds"));

  static final List<AuditQuery> ALL = List.of(ROWS, JOURNAL, ENDS, FENCES, LIVE);
}
