package io.holdfast.audit;

import io.holdfast.audit.AuditQuery.Check;
import java.util.List;

/// Checks of streams: the events of each are complete, and each has all of its ids.
final class StreamAuditQueries {
  private StreamAuditQueries() {}

  /// Versions begin at 1 and are unique, so a count equal to the last version leaves no gap.
  private static final AuditQuery EVENTS =
      new AuditQuery(
          """
          SELECT count(*),
                 count(*) FILTER (WHERE (e.events, e.first, e.last)
                                        IS DISTINCT FROM (s.version, 1::bigint, s.version))
            FROM stream s
            FULL JOIN (SELECT stream_id, count(*) AS events, min(version) AS first,
                              max(version) AS last
                         FROM stream_event GROUP BY stream_id) e USING (stream_id)
          """,
          new Check(
              "DH-EVENTS",
              "The events of every stream are numbered from 1 to its version without gaps"));

  private static final AuditQuery IDS =
      new AuditQuery(
          """
          SELECT (SELECT count(*) FROM stream_alias),
                 (SELECT count(*) FROM stream_alias a
                   WHERE NOT EXISTS (SELECT 1 FROM stream s WHERE s.stream_id = a.stream_id))
                 + (SELECT count(*) FROM stream s
                     WHERE NOT EXISTS (SELECT 1 FROM stream_alias a
                                        WHERE a.alias = s.stream_id
                                          AND a.stream_id = s.stream_id)),
                 (SELECT count(*) FROM stream s
                   WHERE NOT EXISTS (SELECT 1 FROM stream_secret k
                                      WHERE k.version = s.key_version))
          """,
          new Check("DH-IDS", "Every stream has its id, and every id belongs to a stream"),
          new Check("DH-KEYS", "The key of every stream is on record"));

  static final List<AuditQuery> ALL = List.of(EVENTS, IDS);
}
