package io.holdfast.audit;

import io.holdfast.audit.AuditQuery.Check;
import java.util.List;

/// Checks of sales: nothing is sold twice or in part, and items, holds, commitments and consumed
/// keys agree.
final class SaleAuditQueries {
  private SaleAuditQueries() {}

  private static final AuditQuery ONCE =
      new AuditQuery(
          """
          SELECT coalesce(sum(sales), 0)::bigint, count(*) FILTER (WHERE sales > 1)
            FROM (SELECT count(*) AS sales FROM commitment WHERE voided_at IS NULL
                   GROUP BY pool, item) sold
          """,
          new Check("P1", "No item is sold twice"));

  /// The unique indexes that sales, tokens and money rely on, and all triggers. A name may stand
  /// for the triggers of several partitions, which must all be enabled.
  private static final AuditQuery CONSTRAINTS =
      new AuditQuery(
          """
          SELECT count(*),
                 count(*) FILTER (WHERE NOT EXISTS
                          (SELECT 1 FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
                            WHERE c.relname = guard AND i.indisunique AND i.indisvalid
                              AND c.relnamespace = current_schema()::regnamespace)
                    AND (SELECT bool_and(t.tgenabled IN ('O', 'A'))
                           FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
                          WHERE t.tgname = guard
                            AND c.relnamespace = current_schema()::regnamespace) IS NOT TRUE)
            FROM unnest(ARRAY['commitment_one_live_per_item', 'consumed_request_key',
                              'consumed_request_replay_key_once', 'token_result_key', 'hold_key',
                              'hold_fence_once', 'checkout_key', 'checkout_hold_once',
                              'checkout_step_call_once', 'payment_entry_key', 'payment_call_key',
                              'payment_notice_one_counts', 'verification_key', 'reversal_key',
                              'reversal_id_once', 'authorization_nonce_key', 'person_key_one_live',
                              'shredding_pseudonym_once', 'stream_alias_key', 'stream_event_key',
                              'admission_key', 'auction_key',
                              'pool_epoch_never_falls', 'pool_is_for_ever', 'pool_keeps_its_name',
                              'pool_begins_with_refund_terms', 'pool_keeps_its_refund_terms',
                              'pool_change_is_append_only', 'fence_epoch_is_append_only',
                              'item_changes_by_the_rules', 'item_is_for_ever',
                              'item_keeps_its_name',
                              'hold_end_is_final', 'hold_origin_is_fixed',
                              'hold_pin_no_never_falls', 'hold_pseudonym_is_fixed',
                              'hold_is_for_ever', 'hold_is_not_emptied', 'journal_is_append_only',
                              'journal_is_not_emptied', 'journal_drop_is_append_only',
                              'journal_cursor_never_falls', 'journal_cursor_is_for_ever',
                              'token_replay_only_grows', 'token_replay_is_kept',
                              'token_replay_is_not_emptied',
                              'commitment_is_voided_once', 'commitment_is_for_ever',
                              'consumed_request_is_append_only', 'authorization_nonce_is_used_once',
                              'authorization_nonce_is_for_ever', 'verification_is_append_only',
                              'reversal_is_append_only', 'attempt_is_append_only',
                              'attempt_is_kept',
                              'checkout_goes_by_the_rules', 'checkout_metadata_is_fixed',
                              'checkout_log_is_append_only', 'payment_entry_is_append_only',
                              'payment_call_is_append_only', 'payment_notice_is_append_only',
                              'payment_refunded_within_captured', 'refund_terms_are_append_only',
                              'event_is_append_only', 'event_is_kept',
                              'event_person_is_append_only', 'event_person_is_kept',
                              'person_key_is_shredded_once', 'person_key_is_kept',
                              'person_key_is_for_ever', 'shredding_is_append_only',
                              'stream_only_grows', 'stream_is_for_ever',
                              'stream_event_is_append_only', 'stream_alias_is_append_only',
                              'stream_secret_is_append_only', 'sequence_only_grows',
                              'ticket_origin_is_fixed', 'admission_is_fixed',
                              'raffle_is_drawn_once', 'raffle_place_is_append_only',
                              'auction_is_final', 'auction_is_for_ever']) AS guard
          """,
          new Check(
              "IR-GA-6", "The constraints and triggers that protect the records are in force"));

  private static final AuditQuery COMMITMENTS =
      new AuditQuery(
          """
          SELECT count(*),
                 count(*) FILTER (WHERE i.fence < c.fence),
                 count(*) FILTER (WHERE c.committed_at >= h.expires_at),
                 count(*) FILTER (WHERE c.voided_at IS NULL
                                    AND (i.status, i.holder, i.fence)
                                        IS DISTINCT FROM ('SOLD', c.hold_id, c.fence)),
                 count(*) FILTER (WHERE h.state IS DISTINCT FROM 'CONFIRMED'),
                 count(*) FILTER (WHERE (c.fence, c.caller, c.requester, c.committed_at)
                                        IS DISTINCT FROM (h.fence, h.caller, h.requester, h.ended_at)
                                     OR NOT c.item = ANY (h.items)
                                     OR h.pseudonym <> '' AND q.owner_binding <> h.pseudonym),
                 count(*) FILTER (WHERE q.target IS DISTINCT FROM c.hold_id)
            FROM commitment c
            LEFT JOIN item i USING (pool, item)
            LEFT JOIN hold h ON h.pool = c.pool AND h.hold_id = c.hold_id
            LEFT JOIN consumed_request q
                   ON q.pool = c.pool AND q.caller = c.caller
                  AND q.logical_key = ANY (ARRAY[hashed(c.logical_key), c.logical_key])
                  AND q.target = c.hold_id
          """,
          new Check("P5-ITEM", "No item's fence is below one at which it was sold"),
          new Check("PC-ADV-1", "Nothing was committed after its window"),
          new Check("DRIFT-1", "An item with a live commitment is sold to that hold at that fence"),
          new Check("DRIFT-2", "The hold of a commitment is CONFIRMED"),
          new Check(
              "DRIFT-3", "A commitment has the fence, the requester and the time of its hold"),
          new Check("DRIFT-4", "A commitment has consumed its logical key"));

  private static final AuditQuery ORDER =
      new AuditQuery(
          """
          SELECT count(*), count(*) FILTER (WHERE committed_at < before OR voided_before IS NULL
                                                                   AND before IS NOT NULL)
            FROM (SELECT committed_at, lag(committed_at) OVER w AS before,
                         lag(voided_at) OVER w AS voided_before
                    FROM commitment
                  WINDOW w AS (PARTITION BY pool, item ORDER BY fence)) sold
          """,
          new Check("P5", "A later sale of an item has a higher fence"));

  private static final AuditQuery WHOLE =
      new AuditQuery(
          """
          SELECT count(*), count(*) FILTER (WHERE sold <> cardinality(items)),
                 count(*) FILTER (WHERE sold = 0)
            FROM (SELECT items, (SELECT count(*) FROM commitment c
                                  WHERE c.pool = h.pool AND c.hold_id = h.hold_id
                                    AND c.fence = h.fence) AS sold
                    FROM hold h WHERE state = 'CONFIRMED') sales
          """,
          new Check("P6", "All items of a hold were sold, or none"),
          new Check("DRIFT-5", "A CONFIRMED hold has commitments"));

  private static final AuditQuery ITEMS =
      new AuditQuery(
          """
          SELECT count(*),
                 count(*) FILTER (WHERE i.status = 'SOLD' AND c.hold_id IS DISTINCT FROM i.holder),
                 count(*) FILTER (WHERE i.status = 'CLAIMED'
                                    AND (h.state IS DISTINCT FROM 'HELD' OR h.fence <> i.fence
                                         OR h.pin_no % 2 = 0))
            FROM item i
            LEFT JOIN commitment c ON c.pool = i.pool AND c.item = i.item AND c.fence = i.fence
                                  AND c.voided_at IS NULL
            LEFT JOIN hold h ON h.pool = i.pool AND h.hold_id = i.holder
           WHERE i.status <> 'FREE'
          """,
          new Check("DRIFT-6", "A sold item has a live commitment at its fence"),
          new Check("DRIFT-7", "A claimed item is claimed for a live hold"));

  private static final AuditQuery STOCK =
      new AuditQuery(
          """
          SELECT count(*),
                 count(*) FILTER (WHERE s.sold <> units.sold OR s.claimed <> units.claimed),
                 count(*) FILTER (WHERE units.sold + units.claimed > s.capacity)
            FROM stock s
                 CROSS JOIN LATERAL (
                 SELECT count(*) FILTER (WHERE i.status = 'SOLD') AS sold,
                        count(*) FILTER (WHERE i.status = 'CLAIMED') AS claimed
                   FROM item i WHERE i.pool = s.pool) AS units
          """,
          new Check("BR-C-2", "A stock counts exactly its sold and its claimed units"),
          new Check("BR-C-3", "No pool has sold or claimed more than its capacity"));

  private static final AuditQuery KEYS =
      new AuditQuery(
          """
          SELECT (SELECT count(*) FROM consumed_request), count(*)
            FROM consumed_request q
           WHERE NOT EXISTS (SELECT 1 FROM commitment c
                              WHERE c.pool = q.pool AND c.hold_id = q.target
                                AND c.caller = q.caller
                                AND q.logical_key IN (hashed(c.logical_key), c.logical_key)
                                AND q.order_id IN (hashed(c.order_id), c.order_id))
          """,
          new Check("DRIFT-8", "A consumed logical key has its commitment"));

  private static final AuditQuery NONCES =
      new AuditQuery(
          """
          SELECT (SELECT count(*) FROM authorization_nonce WHERE consumed_at IS NOT NULL), count(*)
            FROM authorization_nonce n
           WHERE consumed_at IS NOT NULL
             AND NOT CASE operation
                     WHEN 'confirm' THEN EXISTS (
                          SELECT 1 FROM commitment c
                           WHERE c.pool = n.pool AND c.hold_id = n.hold_id
                             AND n.consumed_by IN (hashed(c.logical_key), c.logical_key))
                     ELSE EXISTS (
                          SELECT 1 FROM reversal r
                           WHERE r.pool = n.pool AND r.hold_id = n.hold_id
                             AND r.reversal_id = n.consumed_by)
                     END
          """,
          new Check("RS-ID-4", "A used nonce has its one effect"));

  private static final AuditQuery VERIFICATIONS =
      new AuditQuery(
          """
          SELECT count(*),
                 count(*) FILTER (WHERE NOT passed
                                    AND NOT EXISTS (SELECT 1 FROM reversal r
                                                     WHERE r.pool = v.pool
                                                       AND r.hold_id = v.hold_id
                                                       AND r.quantity IS NULL)),
                 count(*) FILTER (WHERE h.state IS DISTINCT FROM 'CONFIRMED')
            FROM verification v LEFT JOIN hold h USING (pool, hold_id)
          """,
          new Check("RS-S3d", "The verification of every sale has passed, or the sale was undone"),
          new Check("DRIFT-9", "Every verified sale is a sale"));

  static final List<AuditQuery> ALL =
      List.of(
          ONCE, CONSTRAINTS, COMMITMENTS, ORDER, WHOLE, ITEMS, STOCK, KEYS, NONCES, VERIFICATIONS);
}
