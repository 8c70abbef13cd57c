package io.holdfast.commitment;

import io.holdfast.commitment.PinResult.Pinned;
import io.holdfast.pool.HoldRecord;
import io.holdfast.postgres.Columns;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

/// One sale, and the rows that it consists of besides the hold, the items and the token.
///
/// @param hold as it will be, CONFIRMED
record Sale(ConfirmRequest request, HoldRecord hold, List<LockedFacts.Item> items, ReplayKey key) {

  /// The logical key is consumed with the sale or not at all. Nobody asks first here: the row is
  /// there already, or it is ours.
  static final String CONSUME =
      """
      INSERT INTO consumed_request (pool, caller, logical_key, protocol_version, operation, target,
                                    artifact_hash, owner_binding, run_id, replay_key, order_id,
                                    token, consumed_at)
      SELECT pool, caller, logical_key, protocol_version, operation, target, artifact_hash,
             owner_binding, run_id, replay_key, order_id, token,
             to_timestamp(at_ms::float8 / 1000)
        FROM unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[],
                    ?::text[], ?::text[], ?::bytea[], ?::text[], ?::bytea[], ?::bigint[])
          AS given (pool, caller, logical_key, protocol_version, operation, target, artifact_hash,
                    owner_binding, run_id, replay_key, order_id, token, at_ms)
       ORDER BY pool, caller, logical_key
          ON CONFLICT DO NOTHING
      """;

  static final String USE_NONCE =
      """
      UPDATE authorization_nonce n
         SET consumed_at = to_timestamp(at_ms::float8 / 1000), consumed_by = given.logical_key
        FROM unnest(?::text[], ?::bytea[], ?::text[], ?::text[], ?::bigint[])
          AS given (pool, nonce, hold_id, logical_key, at_ms)
       WHERE n.pool = given.pool
         AND n.nonce_hash = given.nonce
         AND n.hold_id = given.hold_id
         AND n.operation = 'confirm'
         AND n.consumed_at IS NULL
      """;

  /// At the price of the item, which never changes.
  static final String COMMIT_ITEMS =
      """
      INSERT INTO commitment (pool, item, hold_id, fence, caller, requester, order_id, logical_key,
                              price_cents, currency, committed_at)
      SELECT pool, item, hold_id, fence, caller, requester, order_id, logical_key,
             (SELECT i.price_cents FROM item i WHERE i.pool = given.pool AND i.item = given.item),
             currency, to_timestamp(at_ms::float8 / 1000)
        FROM unnest(?::text[], ?::text[], ?::text[], ?::bigint[], ?::text[], ?::text[], ?::text[],
                    ?::text[], ?::text[], ?::bigint[])
          AS given (pool, item, hold_id, fence, caller, requester, order_id, logical_key, currency,
                    at_ms)
       ORDER BY pool, item
          ON CONFLICT DO NOTHING
      """;

  static final String TELL_REDIS =
      """
      INSERT INTO outbox (pool, hold_id, topic)
      SELECT pool, hold_id, 'settle' FROM unnest(?::text[], ?::text[]) AS given (pool, hold_id)
      RETURNING hold_id, NULL AS item, id
      """;

  private record Part(Sale sale, LockedFacts.Item item) {}

  Stream<ItemUpdates.Move> moves() {
    return request.intent() instanceof Pinned(_, var deadline, _)
        ? ItemUpdates.moves(request.pool().name(), hold, ItemState.Status.SOLD, null, deadline)
        : Stream.empty();
  }

  private String pool() {
    return request.pool().name().value();
  }

  private Instant at() {
    return hold.endedAt() == null ? hold.placedAt() : hold.endedAt();
  }

  static int bindConsumed(Columns.Slots slots, List<Sale> sales) throws SQLException {
    return slots
        .of(sales)
        .text(Sale::pool)
        .text(sale -> sale.request.caller())
        .text(sale -> sale.key.logicalKey())
        .text(sale -> sale.key.protocol())
        .text(sale -> sale.key.operation())
        .text(sale -> sale.key.target())
        .text(sale -> sale.key.artifact())
        .text(sale -> sale.key.owner())
        .text(sale -> sale.key.run())
        .bytes(sale -> new String(sale.key.hash(), StandardCharsets.ISO_8859_1))
        .text(sale -> sale.request.orderId())
        .bytes(sale -> sale.request.token().value())
        .moment(Sale::at)
        .next();
  }

  static int bindNonces(Columns.Slots slots, List<Sale> sales) throws SQLException {
    return slots
        .of(sales)
        .text(Sale::pool)
        .bytes(sale -> AuthorizationNonces.hashOf(sale.request))
        .text(sale -> sale.request.hold().toString())
        .text(sale -> sale.key.logicalKey())
        .moment(Sale::at)
        .next();
  }

  static int bindItems(Columns.Slots slots, List<Sale> sales) throws SQLException {
    var parts =
        sales.stream().flatMap(sale -> sale.items.stream().map(i -> new Part(sale, i))).toList();
    return slots
        .of(parts)
        .text(part -> part.sale.pool())
        .text(part -> part.item.item().value())
        .text(part -> part.sale.request.hold().toString())
        .number(part -> part.sale.hold.fence().value())
        .text(part -> part.sale.hold.caller())
        .text(part -> part.sale.hold.requester())
        .text(part -> part.sale.request.orderId())
        .text(part -> part.sale.key.logicalKey())
        .text(part -> part.sale.request.pool().policy().currency())
        .moment(part -> part.sale.at())
        .next();
  }

  static int bindHold(Columns.Slots slots, List<Sale> sales) throws SQLException {
    return slots.of(sales).text(Sale::pool).text(sale -> sale.request.hold().toString()).next();
  }
}
