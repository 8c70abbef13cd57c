package io.holdfast.checkout.reversal;

import io.holdfast.pool.HoldId;
import io.holdfast.postgres.ArrayBinder;
import io.holdfast.web.InvalidField;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A sale as its commitments have it: items with the prices at which they were sold, and the terms
/// of refunds that its pool had then. Whoever reads it to void something has locked it before.
///
/// @param now the time of the Postgres clock
/// @param isOfUnits whether its items are units of a quantity, which have no names outside
/// @param hasFailed whether its verification has failed
/// @param items those that are voided first, if only a quantity is named, come first
record SoldOrder(
    Instant committedAt,
    Instant now,
    boolean isOfUnits,
    boolean hasFailed,
    Terms terms,
    List<Item> items) {

  /// The terms are those of the last change of the policy before the sale.
  private static final String READ =
      """
      SELECT c.item, c.price_cents, c.committed_at, c.voided_at IS NOT NULL AS is_voided,
             coalesce(terms.fee_cents, 0) AS fee_cents, terms.within_seconds,
             EXISTS (SELECT 1 FROM stock s WHERE s.pool = c.pool) AS is_of_units,
             EXISTS (SELECT 1 FROM verification v
                      WHERE v.pool = c.pool AND v.hold_id = c.hold_id AND NOT v.passed)
             AS has_failed,
             clock_timestamp() AS now
        FROM commitment c
             LEFT JOIN LATERAL (
             SELECT t.fee_cents, t.within_seconds FROM refund_terms t
              WHERE t.pool = c.pool AND t.since <= c.committed_at
              ORDER BY t.since DESC LIMIT 1) AS terms ON true
       WHERE c.pool = ? AND c.hold_id = ?
       ORDER BY length(c.item) DESC, c.item DESC
      """;

  /// @param feeCents kept of each item
  /// @param within the time after the sale; null for no limit
  record Terms(long feeCents, @Nullable Duration within) {}

  record Item(String name, long cents, boolean isVoided) {}

  SoldOrder {
    items = List.copyOf(items);
  }

  static Optional<SoldOrder> read(Connection connection, HoldId hold) throws SQLException {
    try (var select = connection.prepareStatement(READ)) {
      select.setString(1, hold.pool().value());
      select.setString(2, hold.toString());
      try (var rows = select.executeQuery()) {
        var items = new ArrayList<Item>();
        SoldOrder order = null;
        while (rows.next()) {
          items.add(
              new Item(
                  rows.getString("item"),
                  rows.getLong("price_cents"),
                  rows.getBoolean("is_voided")));
          order = order(rows, items);
        }
        return Optional.ofNullable(order);
      }
    }
  }

  private static SoldOrder order(ResultSet row, List<Item> items) throws SQLException {
    var within = row.getObject("within_seconds", Long.class);
    return new SoldOrder(
        ArrayBinder.moment(row, "committed_at"),
        ArrayBinder.moment(row, "now"),
        row.getBoolean("is_of_units"),
        row.getBoolean("has_failed"),
        new Terms(row.getLong("fee_cents"), within == null ? null : Duration.ofSeconds(within)),
        items);
  }

  List<Item> live() {
    return items.stream().filter(item -> !item.isVoided).toList();
  }

  /// The items that a request names. Refuses with `InvalidField` what the sale does not have.
  List<Item> named(VoidBody body) {
    if (body.items() != null) {
      return named(body.items());
    }
    if (body.quantity() == null) {
      return live();
    }
    if (!isOfUnits) {
      throw InvalidField.of("quantity", "is allowed for pools of the kind STOCK only");
    }
    if (body.quantity() > live().size()) {
      throw InvalidField.of("quantity", "has to be a whole number from 1 to " + live().size());
    }
    return live().subList(0, body.quantity());
  }

  private List<Item> named(List<String> names) {
    if (isOfUnits) {
      throw InvalidField.of("items", "is not allowed for pools of the kind STOCK; send a quantity");
    }
    var named = new ArrayList<Item>();
    for (var i = 0; i < names.size(); i++) {
      var name = names.get(i);
      var field = "items[" + i + "]";
      var item = items.stream().filter(each -> each.name.equals(name)).findFirst();
      named.add(item.orElseThrow(() -> InvalidField.of(field, "is not an item of this sale")));
    }
    return named;
  }

  /// The price of these items when they were sold.
  static long cents(List<Item> part) {
    return part.stream().mapToLong(Item::cents).sum();
  }

  /// What the terms keep of a refund of these items: the fee of each, at most its price.
  long fee(List<Item> part) {
    return part.stream().mapToLong(item -> Math.min(item.cents, terms.feeCents)).sum();
  }
}
