package io.holdfast.checkout;

import io.holdfast.pool.ItemId;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.Transaction;
import java.sql.SQLException;
import java.util.List;

/// What items cost, by the catalogue.
final class ItemPrices {
  private ItemPrices() {}

  static long sum(Transaction tx, PoolName pool, List<ItemId> items) throws SQLException {
    var sql = "SELECT coalesce(sum(price_cents), 0) FROM item WHERE pool = ? AND item = ANY (?)";
    try (var select = tx.connection().prepareStatement(sql)) {
      select.setString(1, pool.value());
      select.setArray(
          2, tx.connection().createArrayOf("text", items.stream().map(ItemId::value).toArray()));
      try (var rows = select.executeQuery()) {
        rows.next();
        return rows.getLong(1);
      }
    }
  }
}
