package io.holdfast.commitment.claim;

import io.holdfast.commitment.ItemVersion;
import io.holdfast.events.EventWriter;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.ItemId;
import io.holdfast.postgres.Transaction;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Reverses sales. A reversal is a new record that refers to the sale; the sale itself does not
/// change. The items become free and keep their fence, so the next holder has a higher fence. It
/// runs in the caller's transaction.
@Singleton
public final class SaleReversals {
  /// Locks items before holds, as every sale does.
  private static final String LOCK_ITEMS =
      """
      SELECT i.item
        FROM hold h CROSS JOIN LATERAL unnest(h.items) AS held (item)
             JOIN item i ON i.pool = h.pool AND i.item = held.item
       WHERE h.pool = ? AND h.hold_id = ?
       ORDER BY i.item
         FOR UPDATE OF i
      """;

  private static final String VOID =
      """
      UPDATE commitment SET voided_at = greatest(committed_at, clock_timestamp())
       WHERE pool = ? AND hold_id = ? AND voided_at IS NULL
      RETURNING *
      """;

  private static final String FREE =
      """
      UPDATE item SET status = 'FREE', holder = NULL
       WHERE pool = ? AND holder = ? AND status = 'SOLD'
         AND item = ANY (SELECT unnest(items) FROM hold WHERE pool = ? AND hold_id = ?)
      RETURNING item, version
      """;

  private static final String RECORD =
      """
      INSERT INTO reversal (pool, hold_id, reversal_id, reversed_by, reason, voided_at)
      VALUES (?, ?, ?, ?, ?, ?)
      """;

  private static final String TELL_REDIS =
      "INSERT INTO outbox (pool, hold_id, topic) VALUES (?, ?, 'settle')";

  private final EventWriter events;

  SaleReversals(EventWriter events) {
    this.events = events;
  }

  /// @param by who asked for it
  public record Reason(String by, String why) {}

  /// @param items as they are now
  public record Reversed(Instant voidedAt, List<ItemVersion> items) {
    public Reversed {
      items = List.copyOf(items);
    }
  }

  /// Empty if the hold has no sale, or its sale is already reversed.
  public Optional<Reversed> reverse(Transaction transaction, HoldId hold, Reason reason)
      throws SQLException {
    var connection = transaction.connection();
    lockItems(connection, hold);
    var event = voided(connection, hold);
    var voidedAt = event.voidedAt();
    if (voidedAt == null) {
      return Optional.empty();
    }
    var items = freed(connection, hold);
    record(connection, hold, reason, voidedAt);
    events.append(connection, List.of(event.of(hold, reason.why)));
    return Optional.of(new Reversed(voidedAt, items));
  }

  private static void lockItems(Connection connection, HoldId hold) throws SQLException {
    try (var lock = connection.prepareStatement(LOCK_ITEMS)) {
      lock.setString(1, hold.pool().value());
      lock.setString(2, hold.toString());
      lock.executeQuery().close();
    }
  }

  private static VoidedEventBuilder voided(Connection connection, HoldId hold) throws SQLException {
    try (var update = connection.prepareStatement(VOID)) {
      update.setString(1, hold.pool().value());
      update.setString(2, hold.toString());
      var event = new VoidedEventBuilder();
      try (var rows = update.executeQuery()) {
        while (rows.next()) {
          event.take(rows);
        }
      }
      return event;
    }
  }

  private static List<ItemVersion> freed(Connection connection, HoldId hold) throws SQLException {
    try (var update = connection.prepareStatement(FREE)) {
      update.setString(1, hold.pool().value());
      update.setString(2, hold.toString());
      update.setString(3, hold.pool().value());
      update.setString(4, hold.toString());
      var items = new ArrayList<ItemVersion>();
      try (var rows = update.executeQuery()) {
        while (rows.next()) {
          items.add(new ItemVersion(new ItemId(rows.getString("item")), rows.getLong("version")));
        }
      }
      return items;
    }
  }

  private static void record(Connection connection, HoldId hold, Reason reason, Instant voidedAt)
      throws SQLException {
    try (var insert = connection.prepareStatement(RECORD);
        var outbox = connection.prepareStatement(TELL_REDIS)) {
      insert.setString(1, hold.pool().value());
      insert.setString(2, hold.toString());
      insert.setString(3, "rv~" + hold);
      insert.setString(4, reason.by());
      insert.setString(5, reason.why());
      insert.setObject(6, voidedAt.atOffset(ZoneOffset.UTC));
      insert.executeUpdate();
      outbox.setString(1, hold.pool().value());
      outbox.setString(2, hold.toString());
      outbox.executeUpdate();
    }
  }
}
