package io.holdfast.commitment;

import io.holdfast.postgres.Plans;

/// What is asked in the first round trip of a transaction, in one text of several statements: their
/// results come in this order.
final class ReadingSql {
  /// No look-up could take a wrong index (a hold is looked up by its fence, too, because an index
  /// of fences might be taken for that of ids). Orders are those of what was given: an index in
  /// that order would be walked through.
  private static final String SETTINGS =
      "SELECT set_config('lock_timeout', ?, true), " + Plans.BY_INDEX + ";\n";

  /// An epoch cannot rise while somebody sells in it, so a pin of an older one is known for what it
  /// is: Redis has begun anew, and its hold is plain again there.
  private static final String SHARE_POOLS =
      "SELECT pool, epoch FROM pool WHERE pool = ANY (?::text[]) ORDER BY pool FOR SHARE;";

  private static final String LOCK_ITEMS =
      """
      SELECT item.pool, item.item, item.status, item.fence, item.holder, item.claim_until
        FROM unnest(?::text[], ?::text[]) AS given (pool, item) JOIN item USING (pool, item)
       ORDER BY given.pool, given.item
         FOR UPDATE OF item %1$s;
      """;

  private static final String LOCK_HOLDS =
      """
      SELECT hold.hold_id
        FROM unnest(?::text[], ?::text[], ?::bigint[]) AS given (pool, hold_id, fence)
        JOIN hold USING (pool, hold_id, fence)
       ORDER BY given.pool, given.fence
         FOR UPDATE OF hold %1$s;
      """;

  private static final String FACTS =
      """
      SELECT hold.*, given.place, clock_timestamp() AS now,
             t.action, t.digest_function || ':' || t.digest AS digest, t.outcome,
             c.target, c.order_id, c.owner_binding, v.passed,
             n.hold_id AS nonce_hold, n.operation, n.not_before, n.not_after, n.consumed_at
        FROM unnest(?::bigint[], ?::text[], ?::text[], ?::bigint[], ?::text[], ?::bytea[],
                    ?::text[], ?::bytea[])
               AS given (place, pool, hold_id, fence, caller, token, logical_key, nonce)
        LEFT JOIN hold ON hold.pool = given.pool AND hold.hold_id = given.hold_id
                      AND hold.fence = given.fence
        LEFT JOIN token_result t
               ON t.pool = given.pool AND t.caller = given.caller AND t.token = given.token
              AND t.window_until > clock_timestamp()
        LEFT JOIN consumed_request c
               ON c.pool = given.pool AND c.caller = given.caller
              AND c.logical_key = given.logical_key
        LEFT JOIN verification v ON v.pool = given.pool AND v.hold_id = given.hold_id
        LEFT JOIN authorization_nonce n ON n.pool = given.pool AND n.nonce_hash = given.nonce
      """;

  /// Leaves out what somebody else has locked.
  static final String TRYING =
      (SETTINGS + AdvisoryLocks.TRY + SHARE_POOLS + LOCK_ITEMS + LOCK_HOLDS)
              .formatted("SKIP LOCKED")
          + FACTS;

  /// Waits for who has it.
  static final String WAITING =
      (SETTINGS + AdvisoryLocks.WAIT + SHARE_POOLS + LOCK_ITEMS + LOCK_HOLDS).formatted("") + FACTS;

  private ReadingSql() {}
}
