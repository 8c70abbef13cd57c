package io.holdfast.audit;

import io.holdfast.audit.AuditQuery.Check;
import java.util.List;

/// Checks of pools that operators have changed: items out of sale, and limits per requester.
final class PoolAuditQueries {
  private PoolAuditQueries() {}

  /// Each block of an item lasts until its next record. Both times are of Postgres' clock, in whole
  /// milliseconds, read while the item was locked.
  private static final AuditQuery BLOCKS =
      new AuditQuery(
          """
          SELECT count(*),
                 count(*) FILTER (WHERE EXISTS (
                     SELECT 1 FROM commitment c
                      WHERE c.pool = b.pool AND c.item = b.item AND c.committed_at >= b.since
                        AND (b.until IS NULL OR c.committed_at < b.until)))
            FROM (SELECT c.pool, one.item, c.kind, c.changed_at AS since,
                         lead(c.changed_at) OVER (PARTITION BY c.pool, one.item ORDER BY c.id) AS until
                    FROM pool_change c CROSS JOIN LATERAL unnest(c.items) AS one (item)
                   WHERE c.kind IN ('BLOCKED', 'UNBLOCKED')) AS b
           WHERE b.kind = 'BLOCKED'
          """,
          new Check("AU-BLOCK", "No item was sold while it was out of sale"));

  private static final AuditQuery RECORDED =
      new AuditQuery(
          """
          SELECT count(*), count(*) FILTER (WHERE coalesce(last.kind = 'BLOCKED', false)
                                                  <> (i.item IS NOT NULL))
            FROM (SELECT DISTINCT ON (c.pool, one.item) c.pool, one.item, c.kind
                    FROM pool_change c CROSS JOIN LATERAL unnest(c.items) AS one (item)
                   WHERE c.kind IN ('BLOCKED', 'UNBLOCKED')
                   ORDER BY c.pool, one.item, c.id DESC) AS last
                 FULL JOIN (SELECT pool, item FROM item WHERE status = 'BLOCKED') AS i
                        ON i.pool = last.pool AND i.item = last.item
          """,
          new Check("AU-ON-RECORD", "Exactly the items whose last record says so are out of sale"));

  /// A limit that was lowered does not take back what was bought before.
  private static final AuditQuery LIMITS =
      new AuditQuery(
          """
          WITH limited AS (
              SELECT p.pool,
                     greatest(p.items_max, max((r.rules ->> 'maxItemsPerRequester')::integer)) AS most
                FROM pool p
                     LEFT JOIN pool_change c
                            ON c.pool = p.pool AND c.detail -> 'after' ? 'maxItemsPerRequester'
                     LEFT JOIN LATERAL (VALUES (c.detail -> 'before'), (c.detail -> 'after'))
                               AS r (rules) ON c.pool IS NOT NULL
               WHERE p.items_max IS NOT NULL
               GROUP BY p.pool, p.items_max
              HAVING count(*) FILTER (WHERE r.rules IS NOT NULL
                                        AND r.rules ->> 'maxItemsPerRequester' IS NULL) = 0)
          SELECT count(*), count(*) FILTER (WHERE bought > most)
            FROM (SELECT limited.most, count(*) AS bought
                    FROM limited JOIN commitment c ON c.pool = limited.pool AND c.voided_at IS NULL
                   GROUP BY limited.pool, limited.most, c.caller, c.requester) AS requesters
          """,
          new Check("AU-LIMIT", "No requester has bought more items than the pool allows"));

  static final List<AuditQuery> ALL = List.of(BLOCKS, RECORDED, LIMITS);
}
