package io.holdfast.events;

import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.ItemId;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.Columns;
import io.holdfast.postgres.HoldRows;
import io.holdfast.postgres.ManyRows;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What there is to tell of sales, from their records. The event of a sale is a note that there is
/// something to tell: its hold and its commitments never change, so they say the same whenever it
/// is read. All that can change is that the person behind it is shredded.
final class SoldEvents {
  private static final String RECORDS =
      ManyRows.text(
          """
          SELECT hold.*, c.item, c.price_cents, c.currency, c.order_id, c.logical_key,
                 (SELECT s.shredded_at FROM shredding s
                   WHERE s.pseudonym = hold.requester AND s.shredded_at >= hold.ended_at)
                 AS shredded_at
            FROM unnest(?::text[], ?::text[]) AS given (pool, hold_id)
            JOIN hold USING (pool, hold_id)
            JOIN commitment c ON c.pool = hold.pool AND c.hold_id = hold.hold_id
          """);

  private static final String WHOLE =
      ManyRows.text(
          """
          SELECT pool, hold_id FROM unnest(?::text[], ?::text[]) AS given (pool, hold_id)
           WHERE EXISTS (SELECT 1 FROM commitment c
                          WHERE c.pool = given.pool AND c.hold_id = given.hold_id)
          """);

  private SoldEvents() {}

  /// One hold that was sold.
  record Subject(String pool, String holdId) {}

  private static final class Sale {
    private final HoldRecord hold;
    private final String currency;
    private final HoldEvents.Order order;
    private final @Nullable Instant shreddedAt;
    private final Map<ItemId, Long> prices = new HashMap<>();

    Sale(ResultSet row) throws SQLException {
      hold = HoldRows.record(row);
      currency = row.getString("currency");
      order = new HoldEvents.Order(row.getString("order_id"), row.getString("logical_key"));
      shreddedAt = row.getObject("shredded_at") == null ? null : Columns.moment(row, "shredded_at");
    }

    Map<String, @Nullable Object> data(PoolName pool) {
      var items =
          hold.items().stream().map(item -> new HoldEvents.Item(item, prices.get(item))).toList();
      var event = HoldEvents.confirmed(pool, hold, items, currency, order);
      var opened =
          PersonalParts.replace(event.data(), EventJson.PERSONAL, (part, _) -> personal(part));
      return EventJson.read(EventJson.write(opened));
    }

    private @Nullable Object personal(Map<?, ?> part) {
      var value = part.get(EventJson.VALUE);
      return shreddedAt == null ? value : Redaction.redacted(Redaction.typeOf(value), shreddedAt);
    }
  }

  /// Those of them that have a commitment. What has none is no sale, and the second look has said
  /// so.
  static Set<Subject> whole(Connection connection, List<Subject> subjects) throws SQLException {
    var whole = new HashSet<Subject>();
    if (subjects.isEmpty()) {
      return whole;
    }
    try (var select = connection.prepareStatement(WHOLE)) {
      new Columns<>(connection, select, 1, subjects).text(Subject::pool).text(Subject::holdId);
      try (var rows = select.executeQuery()) {
        while (rows.next()) {
          whole.add(new Subject(rows.getString("pool"), rows.getString("hold_id")));
        }
      }
    }
    return whole;
  }

  /// What is told of each, as it can be read now.
  static Map<Subject, Map<String, @Nullable Object>> read(
      Connection connection, List<Subject> subjects) throws SQLException {
    if (subjects.isEmpty()) {
      return Map.of();
    }
    var sales = new HashMap<Subject, Sale>();
    try (var select = connection.prepareStatement(RECORDS)) {
      new Columns<>(connection, select, 1, subjects).text(Subject::pool).text(Subject::holdId);
      try (var rows = select.executeQuery()) {
        while (rows.next()) {
          var subject = new Subject(rows.getString("pool"), rows.getString("hold_id"));
          if (!sales.containsKey(subject)) {
            sales.put(subject, new Sale(rows));
          }
          sales
              .get(subject)
              .prices
              .put(new ItemId(rows.getString("item")), rows.getLong("price_cents"));
        }
      }
    }
    var told = new HashMap<Subject, Map<String, @Nullable Object>>();
    sales.forEach((of, sale) -> told.put(of, sale.data(new PoolName(of.pool))));
    return told;
  }
}
