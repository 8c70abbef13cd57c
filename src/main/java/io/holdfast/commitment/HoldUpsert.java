package io.holdfast.commitment;

import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.ItemId;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.Columns;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;

/// How a hold shall stand. The journal may not have brought it yet, so its row is inserted if need
/// be: every sale has its origin in the records.
///
/// @param pinNo the number that the row gets: everything older is shut out by it
record HoldUpsert(PoolName pool, HoldRecord hold, long pinNo) {

  /// Writes nothing where the hold has ended, where a newer pin is on record, or where a checkout
  /// has it at another pin; the number of rows tells. Holds are met in the order of their fences,
  /// which is the order of who brings the journal.
  static final String UPSERT =
      """
      INSERT INTO hold AS old
             (pool, hold_id, caller, requester, items, fence, salt, token, placed_at, lease_until,
              lease_ms, expires_at, pin_no, state, ended_at, end_reason)
      SELECT pool, hold_id, caller, requester, string_to_array(items, E'\\n'), fence, salt, token,
             to_timestamp(placed_ms::float8 / 1000), to_timestamp(lease_until_ms::float8 / 1000),
             lease_ms, to_timestamp(expires_ms::float8 / 1000), pin_no, state,
             to_timestamp(ended_ms::float8 / 1000), end_reason
        FROM unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::bigint[], ?::text[],
                    ?::bytea[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[],
                    ?::text[], ?::bigint[], ?::text[])
          AS given (pool, hold_id, caller, requester, items, fence, salt, token, placed_ms,
                    lease_until_ms, lease_ms, expires_ms, pin_no, state, ended_ms, end_reason)
       ORDER BY pool, fence
          ON CONFLICT (pool, hold_id) DO UPDATE
             SET state = EXCLUDED.state, pin_no = EXCLUDED.pin_no, ended_at = EXCLUDED.ended_at,
                 end_reason = EXCLUDED.end_reason,
                 lease_until = CASE EXCLUDED.state WHEN 'HELD' THEN old.lease_until
                                                   ELSE EXCLUDED.lease_until END
           WHERE old.state = 'HELD'
             AND old.pin_no <= EXCLUDED.pin_no
             AND (old.pin_no % 2 = 0 OR old.pin_no = EXCLUDED.pin_no)
      """;

  /// The same for an end that is not a sale: a checkout that has claimed the items goes first.
  static final String END =
      UPSERT.replace("(old.pin_no % 2 = 0 OR old.pin_no = EXCLUDED.pin_no)", "old.pin_no % 2 = 0");

  /// Ends the claim of a checkout, and nothing else.
  static final String UNCLAIM =
      """
      UPDATE hold SET pin_no = given.pin_no
        FROM unnest(?::text[], ?::text[], ?::bigint[]) AS given (pool, hold_id, pin_no)
       WHERE hold.pool = given.pool
         AND hold.hold_id = given.hold_id
         AND hold.state = 'HELD'
         AND hold.pin_no = given.pin_no - 1
      """;

  static int bindClaim(Columns.Slots slots, List<HoldUpsert> writes) throws SQLException {
    return slots
        .of(writes)
        .text(write -> write.pool.value())
        .text(write -> write.hold.id(write.pool).toString())
        .number(HoldUpsert::pinNo)
        .next();
  }

  static int bindName(Columns.Slots slots, List<HoldUpsert> writes) throws SQLException {
    return slots
        .of(writes)
        .text(write -> write.pool.value())
        .text(write -> write.hold.id(write.pool).toString())
        .next();
  }

  /// Returns the number of the first parameter behind its own.
  static int bind(Columns.Slots slots, List<HoldUpsert> writes) throws SQLException {
    return slots
        .of(writes)
        .text(write -> write.pool.value())
        .text(write -> write.hold.id(write.pool).toString())
        .text(write -> write.hold.caller())
        .text(write -> write.hold.requester())
        .text(write -> items(write.hold))
        .number(write -> write.hold.fence().value())
        .text(write -> write.hold.salt())
        .bytes(write -> write.hold.token())
        .moment(write -> write.hold.placedAt())
        .moment(write -> write.hold.leaseUntil())
        .number(write -> write.hold.lease().toMillis())
        .moment(write -> write.hold.expiresAt())
        .number(HoldUpsert::pinNo)
        .text(write -> write.hold.state().name())
        .moment(write -> write.hold.endedAt())
        .text(write -> write.hold.endReason() == null ? null : write.hold.endReason().name())
        .next();
  }

  private static String items(HoldRecord hold) {
    return hold.items().stream().map(ItemId::value).collect(Collectors.joining("\n"));
  }
}
