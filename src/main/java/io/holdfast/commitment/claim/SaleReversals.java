package io.holdfast.commitment.claim;

import static java.util.Objects.requireNonNull;

import io.holdfast.commitment.ItemVersion;
import io.holdfast.commitment.StockLevel;
import io.holdfast.events.EventWriter;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.ItemId;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.postgres.StatementRun;
import io.holdfast.postgres.Transaction;
import io.holdfast.subject.CallerText;
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
/// change. The items become free and keep their fence, so the next holder has a higher fence. A
/// sale that failed its verification may lack commitments; what there is of it is reversed all the
/// same. It runs in the caller's transaction.
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
         AND (? = 0 OR item = ANY (?::text[]))
      RETURNING *, EXISTS (SELECT 1 FROM checkout o
                            WHERE o.pool = commitment.pool
                              AND o.checkout_id = commitment.order_id) AS is_of_checkout
      """;

  /// The items of a sale that failed its verification and has no live commitments. The hold is
  /// locked, as a commitment is by its update: a shredding waits for the event, or it goes first.
  private static final String UNSOUND =
      """
      SELECT h.fence, h.caller, h.requester, NULL AS order_id, false AS is_of_checkout,
             h.ended_at AS committed_at,
             i.item, i.price_cents, p.policy ->> 'currency' AS currency,
             greatest(h.ended_at, clock_timestamp()) AS voided_at
        FROM hold h
             JOIN pool p USING (pool)
             CROSS JOIN LATERAL unnest(h.items) AS held (item)
             JOIN item i ON i.pool = h.pool AND i.item = held.item
       WHERE h.pool = ? AND h.hold_id = ? AND h.state = 'CONFIRMED'
         AND EXISTS (SELECT 1 FROM verification v
                      WHERE v.pool = h.pool AND v.hold_id = h.hold_id AND NOT v.passed)
         AND NOT EXISTS (SELECT 1 FROM reversal r
                          WHERE r.pool = h.pool AND r.hold_id = h.hold_id)
       ORDER BY i.item
         FOR SHARE OF h
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
      INSERT INTO reversal (pool, hold_id, reversal_id, reversed_by, reason, voided_at, quantity,
                            items, value_cents, refund_cents)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """;

  private static final String COUNT =
      """
      SELECT (SELECT count(*) FROM reversal WHERE pool = given.pool AND hold_id = given.hold_id)
             AS before,
             (SELECT count(*) FROM commitment
               WHERE pool = given.pool AND hold_id = given.hold_id AND voided_at IS NULL)
             AS remaining
        FROM (SELECT ?::text AS pool, ?::text AS hold_id) AS given
      """;

  private static final String TELL_REDIS =
      "INSERT INTO outbox (pool, hold_id, topic) VALUES (?, ?, 'settle')";

  private final EventWriter events;

  SaleReversals(EventWriter events) {
    this.events = events;
  }

  /// @param by who asked for it
  /// @param refund what the buyer gets back; null if nobody has decided about money
  public record Reason(String by, String why, @Nullable Refund refund) {
    public Reason(String by, String why) {
      this(by, why, null);
    }

    /// This record is kept for ever, so it does not name the buyer.
    private Reason without(String requester) {
      return new Reason(by, CallerText.replaceName(why, requester), refund);
    }
  }

  /// @param kind `full`, `none` or `partial`
  /// @param valueCents the price of the voided items at their sale
  /// @param cents of it that is refunded
  public record Refund(String kind, long valueCents, long cents) {}

  /// @param reversalId of the new record
  /// @param items as they are now
  /// @param remaining how many items of the sale are not voided
  public record Reversed(
      String reversalId, Instant voidedAt, List<ItemVersion> items, int remaining) {
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

  /// @param part the items to reverse, of which none is voided; null for all that are left
  public Optional<Reversed> reverse(
      Transaction transaction, HoldId hold, Reason reason, @Nullable List<ItemId> part)
      throws SQLException {
    var connection = transaction.connection();
    lock(connection, hold);
    var event = voided(connection, hold, part == null ? List.of() : part);
    if (part != null && event.items().size() != part.size()) {
      throw new IllegalStateException("items of " + hold + " were voided before; nothing was done");
    }
    if (event.voidedAt() == null) {
      readUnsound(connection, hold, event);
    }
    var voidedAt = event.voidedAt();
    if (voidedAt == null) {
      return Optional.empty();
    }
    var freed = freed(connection, hold);
    var stock = returned(connection, hold, freed.size());
    var counts = counts(connection, hold);
    var id = counts.before == 0 ? "rv~" + hold : "rv~%s~%d".formatted(hold, counts.before + 1);
    var quantity = part == null ? null : part.size();
    var kept = reason.without(event.requester());
    record(connection, hold, id, kept, event, quantity);
    events.append(connection, List.of(event.of(hold, kept, counts.remaining)));
    var items = stock.map(level -> List.of(ItemVersion.of(level))).orElse(freed);
    return Optional.of(new Reversed(id, voidedAt, items, counts.remaining));
  }

  /// Locks the items of a sale, so that its reversals wait for each other.
  public static void lock(Connection connection, HoldId hold) throws SQLException {
    try (var run = StatementRun.of(connection, LOCK_ITEMS)) {
      run.text(hold.pool().value()).text(hold.pool().value()).text(hold.toString()).execute();
    }
  }

  private static VoidedEventBuilder voided(Connection connection, HoldId hold, List<ItemId> part)
      throws SQLException {
    var event = new VoidedEventBuilder();
    try (var run = StatementRun.of(connection, VOID)) {
      run.text(hold.pool().value()).text(hold.toString()).number(part.size());
      run.rows(part, columns -> columns.text(ItemId::value)).execute().take(event::take);
    }
    return event;
  }

  private static void readUnsound(Connection connection, HoldId hold, VoidedEventBuilder event)
      throws SQLException {
    try (var run = StatementRun.of(connection, UNSOUND)) {
      run.text(hold.pool().value()).text(hold.toString()).execute().take(event::take);
    }
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

  /// @param before the reversals of the sale so far
  /// @param remaining its items that are not voided
  private record Counts(int before, int remaining) {}

  private static Counts counts(Connection connection, HoldId hold) throws SQLException {
    var counts = new ArrayList<Counts>();
    try (var run = StatementRun.of(connection, COUNT)) {
      run.text(hold.pool().value()).text(hold.toString());
      run.execute()
          .take(row -> counts.add(new Counts(row.getInt("before"), row.getInt("remaining"))));
    }
    return counts.getFirst();
  }

  private static void record(
      Connection connection,
      HoldId hold,
      String id,
      Reason reason,
      VoidedEventBuilder voided,
      @Nullable Integer quantity)
      throws SQLException {
    var refund = reason.refund();
    try (var insert = connection.prepareStatement(RECORD);
        var outbox = connection.prepareStatement(TELL_REDIS)) {
      insert.setString(1, hold.pool().value());
      insert.setString(2, hold.toString());
      insert.setString(3, id);
      insert.setString(4, reason.by());
      insert.setString(5, reason.why());
      insert.setObject(6, requireNonNull(voided.voidedAt()).atOffset(ZoneOffset.UTC));
      insert.setObject(7, quantity, Types.BIGINT);
      insert.setArray(8, connection.createArrayOf("text", voided.items().toArray()));
      insert.setObject(9, refund == null ? null : refund.valueCents, Types.BIGINT);
      insert.setObject(10, refund == null ? null : refund.cents, Types.BIGINT);
      insert.executeUpdate();
      outbox.setString(1, hold.pool().value());
      outbox.setString(2, hold.toString());
      outbox.executeUpdate();
    }
  }
}
