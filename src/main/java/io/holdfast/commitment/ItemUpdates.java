package io.holdfast.commitment;

import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.ItemId;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.Columns;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The one place where items change hands. Each statement carries its whole condition, and the
/// number of rows tells whether all of the items were had.
final class ItemUpdates {
  /// What is free goes to a higher fence, or to that of the hold which claimed it last and gave it
  /// back; what is claimed, only to who has claimed it. No hold sells an item twice at its fence:
  /// `commitment_key` refuses it.
  private static final String CHANGE =
      """
      UPDATE item
         SET status = given.status, fence = given.fence, holder = given.hold_id,
             claim_until = to_timestamp(given.claim_ms::float8 / 1000)
        FROM unnest(?::text[], ?::text[], ?::text[], ?::bigint[], ?::text[], ?::bigint[],
                    ?::bigint[])
          AS given (pool, item, hold_id, fence, status, claim_ms, deadline_ms)
       WHERE item.pool = given.pool
         AND item.item = given.item
         AND %s
      RETURNING item.holder, item.item, item.version
      """;

  static final String TAKE =
      CHANGE.formatted(
          """
          (item.status = 'FREE' AND item.fence <= given.fence
               OR item.status = 'CLAIMED' AND item.holder = given.hold_id
                  AND item.fence = given.fence)
          AND clock_timestamp() < to_timestamp(given.deadline_ms::float8 / 1000)\
          """);

  /// Nothing is sold after the window of its hold, which is where its claim ends at the latest.
  static final String SELL_CLAIMED =
      CHANGE.formatted(
          """
          item.status = 'CLAIMED' AND item.holder = given.hold_id AND item.fence = given.fence
          AND clock_timestamp() < item.claim_until\
          """);

  static final String GIVE_BACK =
      """
      UPDATE item
         SET status = 'FREE', holder = NULL, claim_until = NULL
        FROM unnest(?::text[], ?::text[], ?::text[], ?::bigint[])
          AS given (pool, item, hold_id, fence)
       WHERE item.pool = given.pool
         AND item.item = given.item
         AND item.status = 'CLAIMED'
         AND item.holder = given.hold_id
         AND item.fence = given.fence
      RETURNING given.hold_id AS holder, item.item, item.version
      """;

  /// In which items are locked.
  static final Comparator<Move> ORDER =
      Comparator.comparing((Move move) -> move.pool.value())
          .thenComparing(move -> move.item.value());

  private ItemUpdates() {}

  /// One item on its way from one hand to another.
  ///
  /// @param status CLAIMED or SOLD; `claimUntil`, of a claim only
  record Move(
      PoolName pool,
      ItemId item,
      String holdId,
      long fence,
      ItemState.Status status,
      @Nullable Instant claimUntil,
      Instant deadline) {}

  static Stream<Move> moves(
      PoolName pool,
      HoldRecord hold,
      ItemState.Status status,
      @Nullable Instant claimUntil,
      Instant deadline) {
    var id = hold.id(pool).toString();
    return hold.items().stream()
        .map(item -> new Move(pool, item, id, hold.fence().value(), status, claimUntil, deadline));
  }

  static int bind(Columns.Slots slots, List<Move> moves) throws SQLException {
    return slots
        .of(moves)
        .text(move -> move.pool.value())
        .text(move -> move.item.value())
        .text(Move::holdId)
        .number(Move::fence)
        .text(move -> move.status.name())
        .moment(Move::claimUntil)
        .moment(Move::deadline)
        .next();
  }

  static int bindBack(Columns.Slots slots, List<Move> moves) throws SQLException {
    return slots
        .of(moves)
        .text(move -> move.pool.value())
        .text(move -> move.item.value())
        .text(Move::holdId)
        .number(Move::fence)
        .next();
  }

  static ItemVersion version(ResultSet row) throws SQLException {
    return new ItemVersion(new ItemId(row.getString("item")), row.getLong("version"));
  }
}
