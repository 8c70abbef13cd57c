package io.holdfast.audit;

import io.holdfast.audit.AuditQuery.Check;
import java.util.List;

/// Checks of checkouts: money and seats agree, no checkout stays incomplete, and all compensations
/// were executed.
final class CheckoutAuditQueries {
  private CheckoutAuditQueries() {}

  /// The captured money minus refunds must be the price of the live commitments. An agreed fee that
  /// is not refunded has an entry of the kind KEPT. The winner of an auction has paid by a checkout
  /// that is DONE; the sale itself has no checkout.
  private static final AuditQuery MONEY =
      new AuditQuery(
          """
          WITH money AS (
              SELECT pool, checkout_id,
                     sum(CASE kind WHEN 'CAPTURED' THEN cents
                                   WHEN 'REFUNDED' THEN -cents
                                   WHEN 'KEPT' THEN -cents ELSE 0 END) AS left_over,
                     count(*) FILTER (WHERE kind = 'CAPTURED') AS captures,
                     count(*) FILTER (WHERE kind = 'AUTHORISED') AS authorisations
                FROM payment_entry GROUP BY pool, checkout_id),
          seats AS (
              SELECT pool, order_id AS checkout_id, sum(price_cents) AS price
                FROM commitment WHERE voided_at IS NULL GROUP BY pool, order_id
              UNION ALL
              SELECT c.pool, o.checkout_id, sum(c.price_cents)
                FROM commitment c JOIN checkout o ON o.pool = c.pool AND o.hold_id = c.hold_id
               WHERE c.voided_at IS NULL AND o.saga = 'auction' AND o.phase = 'DONE'
               GROUP BY c.pool, o.checkout_id)
          SELECT count(*),
                 count(*) FILTER (WHERE c.ended_at IS NOT NULL AND c.phase <> 'STUCK'
                                    AND coalesce(m.left_over, 0) <> coalesce(s.price, 0)),
                 CASE WHEN coalesce(sum(m.left_over) FILTER (WHERE c.phase IN ('DONE', 'COMPENSATED')), 0)
                           <> coalesce(sum(s.price) FILTER (WHERE c.phase IN ('DONE', 'COMPENSATED')), 0)
                      THEN 1 ELSE 0 END,
                 count(*) FILTER (WHERE m.captures > 1 OR m.authorisations > 1)
            FROM checkout c
            LEFT JOIN money m USING (pool, checkout_id)
            LEFT JOIN seats s USING (pool, checkout_id)
          """,
          new Check(
              "P7", "What a checkout has captured and not refunded is the price of its seats"),
          new Check("P7-TOTAL", "All money that was kept is the price of all seats that are sold"),
          new Check("P7-ONCE", "No payment was authorised or captured twice"));

  /// A checkout of a hold starts after all earlier ones were undone. The next start is compared
  /// with the end of every earlier one, so one that is still open or was fulfilled counts as well.
  /// The log has the time at which the row was written; `created_at` is from before the INSERT
  /// waited for the end of the checkout before it.
  private static final AuditQuery ONE_AT_A_TIME =
      new AuditQuery(
          """
          SELECT count(*),
                 count(*) FILTER (WHERE after_all_ended IS NOT NULL AND NOT after_all_ended)
            FROM (SELECT begun_at > max(CASE phase WHEN 'COMPENSATED' THEN ended_at
                                                   ELSE 'infinity' END) OVER earlier
                         AS after_all_ended
                    FROM (SELECT c.*, coalesce(l.started_at, c.created_at) AS begun_at
                            FROM checkout c
                            LEFT JOIN (SELECT pool, checkout_id, min(recorded_at) AS started_at
                                         FROM checkout_log WHERE event = 'STARTED'
                                        GROUP BY pool, checkout_id) l USING (pool, checkout_id))
                         AS begun
                  WINDOW earlier AS (PARTITION BY pool, hold_id ORDER BY begun_at, checkout_id
                                     ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)) runs
          """,
          new Check("AU-5", "A hold is checked out again only after its last checkout was undone"));

  /// Our entries must agree with the ledger of the payment simulator.
  private static final AuditQuery PROVIDER =
      new AuditQuery(
          """
          SELECT count(*),
                 count(*) FILTER (WHERE coalesce(b.captured_cents, 0) - b.refunded_cents
                                        <> coalesce(e.captured, 0) - coalesce(e.refunded, 0)),
                 count(*) FILTER (WHERE c.phase = 'COMPENSATED' AND b.captured_cents IS NULL
                                    AND b.authorised_cents IS NOT NULL AND NOT b.cancelled)
            FROM checkout c
            JOIN simulated_payment b ON b.payment_id = c.checkout_id
            LEFT JOIN (SELECT pool, checkout_id,
                              sum(cents) FILTER (WHERE kind = 'CAPTURED') AS captured,
                              sum(cents) FILTER (WHERE kind = 'REFUNDED') AS refunded
                         FROM payment_entry GROUP BY pool, checkout_id) e
                   ON e.pool = c.pool AND e.checkout_id = c.checkout_id
           WHERE c.phase IN ('DONE', 'COMPENSATED')
          """,
          new Check("P7-PROVIDER", "The provider's ledger and ours agree on every payment"),
          new Check("P7-NOTHING-HELD", "A compensated checkout has no open authorisation"));

  /// A checkout whose last line is PENDING waits for a payment. Its runner looks at it every 50
  /// seconds at most, which is a change, and waits for a day at most: `HOLDFAST_PAYMENT_WAIT`.
  private static final AuditQuery ENDS =
      new AuditQuery(
          """
          SELECT (SELECT count(*) FROM checkout), count(*)
            FROM checkout c
                 LEFT JOIN LATERAL (
                 SELECT l.event, l.recorded_at FROM checkout_log l
                  WHERE l.pool = c.pool AND l.checkout_id = c.checkout_id
                  ORDER BY l.id DESC LIMIT 1) AS last ON true
           WHERE c.ended_at IS NULL
             AND (c.changed_at < clock_timestamp()
                                 - CASE last.event WHEN 'PENDING' THEN interval '2 minutes'
                                                   ELSE interval '1 minute' END
                  OR last.event = 'PENDING'
                     AND last.recorded_at < clock_timestamp() - interval '25 hours')
          """,
          new Check(
              "P9",
              "No checkout is incomplete for more than a minute, unless it waits for a payment"));

  private static final AuditQuery STEPS =
      new AuditQuery(
          """
          SELECT count(*),
                 count(*) FILTER (WHERE phase = 'DONE' AND done <> steps),
                 count(*) FILTER (WHERE phase = 'COMPENSATED' AND left_over > 0),
                 count(*) FILTER (WHERE phase <> 'STUCK' AND ended_at IS NOT NULL AND stuck > 0),
                 count(*) FILTER (WHERE started <> 1)
            FROM (SELECT c.phase, c.ended_at, count(*) AS steps,
                         count(*) FILTER (WHERE s.state = 'DONE') AS done,
                         count(*) FILTER (WHERE s.state IN ('DONE', 'UNKNOWN')
                                            AND s.undo NOT IN ('DONE', 'IRREVOCABLE')) AS left_over,
                         count(*) FILTER (WHERE s.undo = 'STUCK') AS stuck,
                         (SELECT count(*) FROM checkout_log l
                           WHERE l.pool = c.pool AND l.checkout_id = c.checkout_id
                             AND l.event = 'STARTED') AS started
                    FROM checkout c JOIN checkout_step s USING (pool, checkout_id)
                   GROUP BY c.pool, c.checkout_id) runs
          """,
          new Check("BR-S-6", "A completed checkout has executed all of its steps"),
          new Check("BR-S-1", "A compensated checkout has compensated all of its effects"),
          new Check("BR-S-3", "A checkout with a failed compensation is STUCK"),
          new Check("SAGA-LOG", "The log of a checkout has one start"));

  /// A hold on record has an odd pin number only while its items are claimed.
  private static final AuditQuery CLAIMS =
      new AuditQuery(
          """
          SELECT count(*),
                 count(*) FILTER (WHERE NOT EXISTS (SELECT 1 FROM checkout c
                                                     WHERE c.pool = claim.pool
                                                       AND c.hold_id = claim.hold_id
                                                       AND (c.ended_at IS NULL
                                                            OR c.phase = 'STUCK')))
            FROM (SELECT pool, holder AS hold_id FROM item WHERE status = 'CLAIMED'
                  UNION
                  SELECT pool, hold_id FROM hold WHERE state = 'HELD' AND pin_no % 2 = 1) AS claim
          """,
          new Check("SAGA-CLAIMS", "Claimed items and holds are claimed by a running checkout"));

  /// A new event is in `event_fresh` until it gets its number in the order of the pool.
  private static final AuditQuery EVENTS =
      AuditQuery.sinceHorizon(
          """
          SELECT count(*), count(*) FILTER (WHERE t.subject IS NULL)
            FROM checkout c
            LEFT JOIN (SELECT pool, subject FROM event WHERE type LIKE 'checkout.%'
                       UNION
                       SELECT pool, subject FROM event_fresh WHERE type LIKE 'checkout.%') t
                   ON t.pool = c.pool AND t.subject = c.checkout_id
           WHERE c.phase IN ('DONE', 'COMPENSATED', 'STUCK')
             AND c.ended_at >= (SELECT records_since()) + interval '1 hour'
          """,
          new Check(
              "OUTBOX", "The end of every checkout has an event, written in the same transaction"));

  /// The undo of a part has moved exactly the price of its items. A part that is not refunded yet
  /// belongs to a checkout that is not DONE.
  private static final AuditQuery PARTS =
      new AuditQuery(
          """
          SELECT count(*),
                 count(*) FILTER (WHERE c.phase IN ('DONE', 'COMPENSATED')
                                    AND (s.undo <> 'DONE'
                                         OR (coalesce(m.refunded, 0), coalesce(m.moved, 0))
                                            <> (s.refund_cents, s.value_cents)))
            FROM checkout c
                 JOIN checkout_step s USING (pool, checkout_id)
                 CROSS JOIN LATERAL (
                 SELECT sum(cents) FILTER (WHERE kind = 'REFUNDED') AS refunded,
                        sum(cents) FILTER (WHERE kind IN ('REFUNDED', 'KEPT')) AS moved
                   FROM payment_entry e
                  WHERE e.pool = s.pool AND e.checkout_id = s.checkout_id
                    AND e.call_id = s.undo_id) AS m
           WHERE s.value_cents IS NOT NULL
          """,
          new Check("AU-13", "Every voided part of an order was refunded once, as agreed"));

  /// Exactly the voided sales and parts have a row in `reversal`. Older rows name no items.
  private static final AuditQuery REVERSALS =
      new AuditQuery(
          """
          SELECT (SELECT count(*) FROM reversal),
                 (SELECT count(*) FROM commitment c
                   WHERE c.voided_at IS NOT NULL
                     AND NOT EXISTS (SELECT 1 FROM reversal r
                                      WHERE r.pool = c.pool AND r.hold_id = c.hold_id
                                        AND (r.items IS NULL OR c.item = ANY (r.items))))
                 + (SELECT count(*) FROM (
                    SELECT 1 FROM reversal r CROSS JOIN LATERAL unnest(r.items) AS one (item)
                     GROUP BY r.pool, r.hold_id, one.item HAVING count(*) > 1) AS twice)
                 + (SELECT count(*) FROM reversal r
                     WHERE NOT EXISTS (SELECT 1 FROM commitment c
                                        WHERE c.pool = r.pool AND c.hold_id = r.hold_id
                                          AND c.voided_at IS NOT NULL)
                        AND NOT EXISTS (SELECT 1 FROM verification v
                                         WHERE v.pool = r.pool AND v.hold_id = r.hold_id
                                           AND NOT v.passed)
                        OR EXISTS (SELECT 1 FROM commitment c
                                    WHERE c.pool = r.pool AND c.hold_id = r.hold_id
                                      AND c.voided_at IS NULL
                                      AND (r.quantity IS NULL OR c.item = ANY (r.items))))
          """,
          new Check(
              "PC-EC-3",
              "A voided sale has a reversal, and is voided as a whole unless parts of it were"
                  + " voided, each item once"));

  static final List<AuditQuery> ALL =
      List.of(MONEY, ONE_AT_A_TIME, PROVIDER, ENDS, STEPS, PARTS, CLAIMS, EVENTS, REVERSALS);
}
