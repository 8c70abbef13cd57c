package io.holdfast.catalogue;

import io.holdfast.pool.CatalogueItem;
import io.holdfast.pool.ItemId;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.Transactions;
import jakarta.inject.Singleton;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/// Reads the table of items. `PoolWriter` writes it. It is no repository of Micronaut Data, because
/// that takes four times as long for the hundred thousand items of a large pool.
@Singleton
final class ItemTable {
  private static final String PAGE =
      """
      SELECT item, section, row, number, x, y, price_cents
        FROM item
       WHERE pool = ? AND ordinal > ?
       ORDER BY ordinal
       LIMIT ?
      """;

  private static final String UNAVAILABLE =
      """
      SELECT item, status = 'BLOCKED' AS is_blocked
        FROM item
       WHERE pool = ? AND status IN ('SOLD', 'BLOCKED')
      """;

  private final Transactions transactions;

  ItemTable(Transactions transactions) {
    this.transactions = transactions;
  }

  List<CatalogueItem> page(PoolName pool, int after, int limit) {
    return transactions.read(
        connection -> {
          try (var select = connection.prepareStatement(PAGE)) {
            select.setString(1, pool.value());
            select.setInt(2, after);
            select.setInt(3, limit);
            var items = new ArrayList<CatalogueItem>();
            try (var rows = select.executeQuery()) {
              while (rows.next()) {
                items.add(item(rows));
              }
            }
            return items;
          }
        });
  }

  Catalogue.Unavailable unavailable(PoolName pool) {
    return transactions.read(
        connection -> {
          try (var select = connection.prepareStatement(UNAVAILABLE)) {
            select.setString(1, pool.value());
            var sold = new HashSet<String>();
            var blocked = new HashSet<String>();
            try (var rows = select.executeQuery()) {
              while (rows.next()) {
                (rows.getBoolean(2) ? blocked : sold).add(rows.getString(1));
              }
            }
            return new Catalogue.Unavailable(sold, blocked);
          }
        });
  }

  private static CatalogueItem item(ResultSet row) throws SQLException {
    return new CatalogueItem(
        new ItemId(row.getString("item")),
        row.getString("section"),
        row.getString("row"),
        row.getObject("number", Integer.class),
        row.getObject("x", Double.class),
        row.getObject("y", Double.class),
        row.getLong("price_cents"));
  }
}
