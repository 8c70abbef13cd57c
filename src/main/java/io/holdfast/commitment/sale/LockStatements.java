package io.holdfast.commitment.sale;

import io.holdfast.subject.SubjectKeys;

/// What `LockAndRead` sends: two forms of one text, which differ in how they lock.
final class LockStatements {
  private LockStatements() {}

  private static final String BEGIN =
      """
      SELECT set_config('lock_timeout', ?, true), set_config('enable_seqscan', 'off', true),
             set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
             set_config('plan_cache_mode', 'force_generic_plan', true),
             set_config('jit', 'off', true);
      """
          + SubjectKeys.CREATE
          + SubjectKeys.LOCK
          + ";\n";

  /// Of each request: its hold and what is on record about it. Then what the requester has bought.
  private static final String READ =
      """
      SELECT hold.*, given.place, clock_timestamp() AS now,
             t.action, t.digest_function || ':' || t.digest AS digest, t.outcome,
             c.target, c.order_id = hashed(given.order_id) AS is_same_order,
             c.owner_binding IN (given.caller || E'\\t' || given.requester,
                                 (SELECT k.pseudonym FROM person_key k
                                   WHERE k.person_hash = given.person_hash
                                     AND k.secret IS NOT NULL)) IS TRUE AS is_owner,
             v.passed,
             n.hold_id AS nonce_hold, n.operation, n.not_before, n.not_after, n.consumed_at
        FROM (SELECT unnest(?::bigint[]) AS place, unnest(?::text[]) AS pool,
                     unnest(?::text[]) AS hold_id, unnest(?::bigint[]) AS fence,
                     unnest(?::text[]) AS caller, unnest(?::text[]) AS requester,
                     unnest(?::bytea[]) AS person_hash, unnest(?::bytea[]) AS token,
                     unnest(?::text[]) AS logical_key, unnest(?::text[]) AS order_id,
                     unnest(?::bytea[]) AS nonce) AS given
        LEFT JOIN hold ON hold.pool = given.pool AND hold.hold_id = given.hold_id
                      AND hold.fence = given.fence
        LEFT JOIN token_result t
               ON t.pool = given.pool AND t.caller = given.caller AND t.token = given.token
              AND t.window_until > clock_timestamp()
        LEFT JOIN consumed_request c
               ON c.pool = given.pool AND c.caller = given.caller
              AND c.logical_key = hashed(given.logical_key)
        LEFT JOIN verification v ON v.pool = given.pool AND v.hold_id = given.hold_id
        LEFT JOIN authorization_nonce n ON n.pool = given.pool AND n.nonce_hash = given.nonce;
      SELECT given.place, count(*) AS bought
        FROM (SELECT unnest(?::bigint[]) AS place, unnest(?::text[]) AS pool,
                     unnest(?::text[]) AS caller, unnest(?::text[]) AS requester,
                     unnest(?::text[]) AS hold_id) AS given
        JOIN hold ON hold.caller = given.caller AND hold.requester = given.requester
                 AND hold.pool = given.pool AND hold.state = 'CONFIRMED'
                 AND hold.hold_id <> given.hold_id
        JOIN commitment ON commitment.pool = hold.pool AND commitment.hold_id = hold.hold_id
                       AND commitment.voided_at IS NULL
       GROUP BY given.place
      """;

  /// Leaves out rows that another transaction has locked.
  static final String SKIP_LOCKED =
      BEGIN
          + """
          SELECT place, pg_try_advisory_xact_lock(token_lock) AND pg_try_advisory_xact_lock(key_lock)
            FROM (SELECT unnest(?::bigint[]) AS place, unnest(?::bigint[]) AS token_lock,
                         unnest(?::bigint[]) AS key_lock) AS given;
          SELECT requester_lock
            FROM (SELECT unnest(?::bigint[]) AS requester_lock) AS given
           WHERE pg_try_advisory_xact_lock(requester_lock);
          SELECT pool, epoch, items_max FROM pool WHERE pool = ANY (?::text[]) ORDER BY pool FOR SHARE;
          SELECT pool, price_cents, ARRAY[version, capacity, sold, claimed] AS stock_level
            FROM stock WHERE pool = ANY (?::text[]) ORDER BY pool FOR UPDATE SKIP LOCKED;
          SELECT item.pool, item.item, item.status, item.fence, item.holder, item.claim_until,
                 item.price_cents
            FROM (SELECT unnest(?::text[]) AS pool, unnest(?::text[]) AS item) AS given
            JOIN item ON item.pool = given.pool AND item.item = given.item
           ORDER BY given.pool, given.item
             FOR UPDATE OF item SKIP LOCKED;
          SELECT hold.hold_id
            FROM (SELECT unnest(?::text[]) AS pool, unnest(?::text[]) AS hold_id,
                         unnest(?::bigint[]) AS fence) AS given
            JOIN hold ON hold.pool = given.pool AND hold.hold_id = given.hold_id
                     AND hold.fence = given.fence
           ORDER BY given.pool, given.fence
             FOR UPDATE OF hold SKIP LOCKED;
          """
          + READ;

  /// Waits for the locks of other transactions.
  static final String WAIT =
      BEGIN
          + """
          SELECT place, pg_advisory_xact_lock(token_lock) IS NOT NULL
                        AND pg_advisory_xact_lock(key_lock) IS NOT NULL
            FROM (SELECT unnest(?::bigint[]) AS place, unnest(?::bigint[]) AS token_lock,
                         unnest(?::bigint[]) AS key_lock) AS given;
          SELECT requester_lock
            FROM (SELECT unnest(?::bigint[]) AS requester_lock) AS given
           WHERE pg_advisory_xact_lock(requester_lock) IS NOT NULL;
          SELECT pool, epoch, items_max FROM pool WHERE pool = ANY (?::text[]) ORDER BY pool FOR SHARE;
          SELECT pool, price_cents, ARRAY[version, capacity, sold, claimed] AS stock_level
            FROM stock WHERE pool = ANY (?::text[]) ORDER BY pool FOR UPDATE;
          SELECT item.pool, item.item, item.status, item.fence, item.holder, item.claim_until,
                 item.price_cents
            FROM (SELECT unnest(?::text[]) AS pool, unnest(?::text[]) AS item) AS given
            JOIN item ON item.pool = given.pool AND item.item = given.item
           ORDER BY given.pool, given.item
             FOR UPDATE OF item;
          SELECT hold.hold_id
            FROM (SELECT unnest(?::text[]) AS pool, unnest(?::text[]) AS hold_id,
                         unnest(?::bigint[]) AS fence) AS given
            JOIN hold ON hold.pool = given.pool AND hold.hold_id = given.hold_id
                     AND hold.fence = given.fence
           ORDER BY given.pool, given.fence
             FOR UPDATE OF hold;
          """
          + READ;
}
