package io.holdfast.commitment.claim;

import io.holdfast.commitment.ItemVersion;
import io.holdfast.commitment.StockLevel;
import io.holdfast.events.EventWriter;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.ItemId;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.postgres.StatementRun;
import io.holdfast.postgres.Transaction;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Reverses sales. A reversal is a new record that refers to the sale; the sale itself does not
/// change. The items become free and keep their fence, so the next holder has a higher fence. It
/// runs in the caller's transaction.
@Singleton
public final class SaleReversals {
  /// Locks the stock, then items, then holds, as every sale does.
  private static final String LOCK_ITEMS =
      """
      SELECT 1 FROM stock WHERE pool = ? FOR UPDATE;
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
         AND item IN (SELECT item FROM commitment
                       WHERE pool = ? AND hold_id = ? AND voided_at IS NULL
                       ORDER BY length(item) DESC, item DESC
                       LIMIT ?)
      RETURNING *
      """;

  private static final String FREE =
      """
      UPDATE item SET status = 'FREE', holder = NULL
       WHERE pool = ? AND holder = ? AND status = 'SOLD'
         AND item = ANY (SELECT unnest(items) FROM hold WHERE pool = ? AND hold_id = ?)
         AND NOT EXISTS (SELECT 1 FROM commitment c
                          WHERE c.pool = item.pool AND c.item = item.item
                            AND c.voided_at IS NULL)
      RETURNING item, version
      """;

  private static final String RETURN_TO_STOCK =
      """
      UPDATE stock SET sold = sold - ?, version = version + 1
       WHERE pool = ?
      RETURNING ARRAY[version, capacity, sold, claimed] AS stock_level
      """;

  private static final String RECORD =
      """
      INSERT INTO reversal (pool, hold_id, reversal_id, reversed_by, reason, voided_at, quantity)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """;

  private static final String COUNT =
      "SELECT count(*) FROM reversal WHERE pool = ? AND hold_id = ?";

  private static final String TELL_REDIS =
      "INSERT INTO outbox (pool, hold_id, topic) VALUES (?, ?, 'settle')";

  private final EventWriter events;

  SaleReversals(EventWriter events) {
    this.events = events;
  }

  /// @param by who asked for it
  public record Reason(String by, String why) {}

  /// @param reversalId of the new record
  /// @param items as they are now
  public record Reversed(String reversalId, Instant voidedAt, List<ItemVersion> items) {
    public Reversed {
      items = List.copyOf(items);
    }
  }

  /// Reverses all that is left of a sale. Empty if the hold has no sale, or its sale is already
  /// reversed.
  public Optional<Reversed> reverse(Transaction transaction, HoldId hold, Reason reason)
      throws SQLException {
    return reverse(transaction, hold, reason, null);
  }

  /// The same for callers outside of the ledger.
  public Optional<Reversed> giveBack(Transaction transaction, HoldId hold, Reason reason) {
    try {
      return reverse(transaction, hold, reason);
    } catch (SQLException e) {
      throw PostgresUnavailable.nothingChanged(e);
    }
  }

  /// @param quantity how many units of the sale to reverse; null for all
  public Optional<Reversed> reverse(
      Transaction transaction, HoldId hold, Reason reason, @Nullable Integer quantity)
      throws SQLException {
    var connection = transaction.connection();
    lockItems(connection, hold);
    var event = voided(connection, hold, quantity);
    var voidedAt = event.voidedAt();
    if (voidedAt == null) {
      return Optional.empty();
    }
    var freed = freed(connection, hold);
    var stock = returned(connection, hold, freed.size());
    var id = reversalId(connection, hold);
    record(connection, hold, id, reason, voidedAt, quantity);
    events.append(connection, List.of(event.of(hold, reason.why)));
    var items = stock.map(level -> List.of(ItemVersion.of(level))).orElse(freed);
    return Optional.of(new Reversed(id, voidedAt, items));
  }

  private static void lockItems(Connection connection, HoldId hold) throws SQLException {
    try (var run = StatementRun.of(connection, LOCK_ITEMS)) {
      run.text(hold.pool().value()).text(hold.pool().value()).text(hold.toString()).execute();
    }
  }

  private static VoidedEventBuilder voided(
      Connection connection, HoldId hold, @Nullable Integer quantity) throws SQLException {
    var event = new VoidedEventBuilder();
    try (var run = StatementRun.of(connection, VOID)) {
      run.text(hold.pool().value()).text(hold.toString());
      run.text(hold.pool().value()).text(hold.toString());
      run.number(quantity == null ? Integer.MAX_VALUE : quantity).execute().take(event::take);
    }
    return event;
  }

  private static List<ItemVersion> freed(Connection connection, HoldId hold) throws SQLException {
    var items = new ArrayList<ItemVersion>();
    try (var run = StatementRun.of(connection, FREE)) {
      run.text(hold.pool().value()).text(hold.toString());
      run.text(hold.pool().value()).text(hold.toString());
      run.execute()
          .take(
              row ->
                  items.add(
                      ItemVersion.of(new ItemId(row.getString("item")), row.getLong("version"))));
    }
    return items;
  }

  /// Empty if the pool has no stock.
  private static Optional<StockLevel> returned(Connection connection, HoldId hold, int units)
      throws SQLException {
    var levels = new ArrayList<StockLevel>();
    try (var run = StatementRun.of(connection, RETURN_TO_STOCK)) {
      run.number(units).text(hold.pool().value());
      run.execute().take(row -> levels.add(StockLevel.of(row)));
    }
    return levels.stream().findFirst();
  }

  private static String reversalId(Connection connection, HoldId hold) throws SQLException {
    var before = new ArrayList<Long>();
    try (var run = StatementRun.of(connection, COUNT)) {
      run.text(hold.pool().value()).text(hold.toString());
      run.execute().take(row -> before.add(row.getLong(1)));
    }
    return before.getFirst() == 0
        ? "rv~" + hold
        : "rv~%s~%d".formatted(hold, before.getFirst() + 1);
  }

  private static void record(
      Connection connection,
      HoldId hold,
      String id,
      Reason reason,
      Instant voidedAt,
      @Nullable Integer quantity)
      throws SQLException {
    try (var insert = connection.prepareStatement(RECORD);
        var outbox = connection.prepareStatement(TELL_REDIS)) {
      insert.setString(1, hold.pool().value());
      insert.setString(2, hold.toString());
      insert.setString(3, id);
      insert.setString(4, reason.by());
      insert.setString(5, reason.why());
      insert.setObject(6, voidedAt.atOffset(ZoneOffset.UTC));
      insert.setObject(7, quantity, Types.BIGINT);
      insert.executeUpdate();
      outbox.setString(1, hold.pool().value());
      outbox.setString(2, hold.toString());
      outbox.executeUpdate();
    }
  }
}
