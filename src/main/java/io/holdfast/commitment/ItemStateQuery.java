package io.holdfast.commitment;

import io.holdfast.pool.ItemId;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.Transactions;
import jakarta.inject.Singleton;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/// Reads the states of items in Postgres, in pages.
@Singleton
public final class ItemStateQuery {
  private static final String PAGE =
      """
      SELECT item, version, status FROM item
       WHERE pool = ? AND ordinal > ?
       ORDER BY ordinal
       LIMIT ?
      """;

  private static final String NEXT =
      """
      SELECT pool, ordinal, item, version, status FROM item
       WHERE (pool, ordinal) > (?, ?)
       ORDER BY pool, ordinal
       LIMIT ?
      """;

  private final Transactions transactions;

  ItemStateQuery(Transactions transactions) {
    this.transactions = transactions;
  }

  /// An item with its pool and its position in the catalogue.
  public record Entry(PoolName pool, int ordinal, ItemState state) {}

  /// The items of all pools, in the order of pools and ordinals.
  ///
  /// @param pool of the last item of the previous page, or an empty text
  public List<Entry> after(String pool, int ordinal, int limit) {
    return transactions.read(
        connection -> {
          try (var select = connection.prepareStatement(NEXT)) {
            select.setString(1, pool);
            select.setInt(2, ordinal);
            select.setInt(3, limit);
            var items = new ArrayList<Entry>();
            try (var rows = select.executeQuery()) {
              while (rows.next()) {
                var name = new PoolName(rows.getString("pool"));
                items.add(new Entry(name, rows.getInt("ordinal"), state(rows)));
              }
            }
            return items;
          }
        });
  }

  /// The items of a pool, in the order of the catalogue.
  ///
  /// @param after how many of them to skip
  public List<ItemState> page(PoolName pool, int after, int limit) {
    return transactions.read(
        connection -> {
          try (var select = connection.prepareStatement(PAGE)) {
            select.setString(1, pool.value());
            select.setInt(2, after);
            select.setInt(3, limit);
            var items = new ArrayList<ItemState>();
            try (var rows = select.executeQuery()) {
              while (rows.next()) {
                items.add(state(rows));
              }
            }
            return items;
          }
        });
  }

  private static ItemState state(ResultSet row) throws SQLException {
    return new ItemState(
        new ItemId(row.getString("item")),
        row.getLong("version"),
        ItemState.Status.valueOf(row.getString("status")));
  }
}
