package io.holdfast.audit;

import io.holdfast.audit.AuditQuery.Check;
import java.util.List;

/// Checks of auctions: the highest live bid has won, once, and no bid came after the close.
final class AuctionAuditQueries {
  private AuctionAuditQueries() {}

  /// A bid took part if it was confirmed, or released by the close. A bid that its requester
  /// withdrew or raised has a line in the journal before that of the close. The other bids of an
  /// auction that was closed before the horizon may be gone.
  private static final AuditQuery RESULTS =
      AuditQuery.sinceHorizon(
          """
          WITH closing AS (
              SELECT pool, max((recorded_at, stream_seq)) AS line
                FROM journal WHERE word = 'CLOSING' GROUP BY pool),
          best AS (
              SELECT DISTINCT ON (a.pool) a.pool, h.hold_id
                FROM auction a
                JOIN closing USING (pool)
                JOIN hold h ON h.pool = a.pool AND h.fence <= a.last_sequence
               WHERE h.amount_cents >= a.reserve_cents
                 AND (h.state = 'CONFIRMED'
                      OR h.state = 'RELEASED'
                         AND h.ended_at = greatest(a.closed_at, h.placed_at)
                         AND NOT EXISTS (SELECT 1 FROM journal j
                                          WHERE j.pool = h.pool AND j.hold_id = h.hold_id
                                            AND j.word = 'RELEASED'
                                            AND (j.recorded_at, j.stream_seq) < closing.line))
               ORDER BY a.pool, h.amount_cents DESC, h.fence)
          SELECT count(*),
                 count(*) FILTER (WHERE a.winner_hold_id IS DISTINCT FROM best.hold_id
                                    AND a.closed_at >= (SELECT records_since()) + interval '1 hour'),
                 count(*) FILTER (WHERE sales.sold <> num_nonnulls(a.winner_hold_id)
                                     OR sales.other > 0),
                 count(*) FILTER (WHERE bids.late > 0),
                 count(*) FILTER (WHERE bids.live > 0)
            FROM auction a
            LEFT JOIN best USING (pool)
                 CROSS JOIN LATERAL (
                 SELECT count(*) AS sold,
                        count(*) FILTER (WHERE c.hold_id IS DISTINCT FROM a.winner_hold_id
                                            OR c.price_cents IS DISTINCT FROM h.amount_cents
                                            OR c.item <> 'lot') AS other
                   FROM commitment c
                   LEFT JOIN hold h ON h.pool = c.pool AND h.hold_id = c.hold_id
                  WHERE c.pool = a.pool) AS sales
                 CROSS JOIN LATERAL (
                 SELECT count(*) FILTER (WHERE h.fence > a.last_sequence
                                            OR h.placed_at >= a.closes_at) AS late,
                        count(*) FILTER (WHERE h.state = 'HELD') AS live
                   FROM hold h WHERE h.pool = a.pool) AS bids
           WHERE a.closed_at IS NOT NULL
          """,
          new Check(
              "BR-Q-2",
              "The highest bid that was live at the close has won, the earlier of equal ones"),
          new Check("AU-ONCE", "The lot of an auction was sold once, to the winner at its amount"),
          new Check("AU-LATE", "No bid was placed after the close"),
          new Check("AU-ENDED", "No bid outlives its auction"));

  static final List<AuditQuery> ALL = List.of(RESULTS);
}
