package io.holdfast.commitment;

import io.holdfast.pool.ItemId;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.Transactions;
import jakarta.inject.Singleton;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/// Reads the states of items in Postgres, in pages. A pool of units has its stock in the place of
/// items, at ordinal 0; its units have no ordinal.
@Singleton
public final class ItemStateQuery {
  private static final String PAGE =
      """
      SELECT pool, 0 AS ordinal, 'stock' AS item, version, 'FREE'::item_status AS status,
             ARRAY[version, capacity, sold, claimed] AS stock_level
        FROM stock
       WHERE pool = ? AND 0 > ?
      UNION ALL
      (SELECT pool, ordinal, item, version, status, NULL FROM item
        WHERE pool = ? AND ordinal > ?
        ORDER BY ordinal
        LIMIT ?)
      """;

  private static final String NEXT =
      """
      (SELECT pool, 0 AS ordinal, 'stock' AS item, version, 'FREE'::item_status AS status,
              ARRAY[version, capacity, sold, claimed] AS stock_level
         FROM stock
        WHERE (pool, 0) > (?, ?)
        ORDER BY pool
        LIMIT ?)
      UNION ALL
      (SELECT pool, ordinal, item, version, status, NULL FROM item
        WHERE (pool, ordinal) > (?, ?) AND ordinal IS NOT NULL
        ORDER BY pool, ordinal
        LIMIT ?)
      ORDER BY pool, ordinal
      LIMIT ?
      """;

  private final Transactions transactions;

  ItemStateQuery(Transactions transactions) {
    this.transactions = transactions;
  }

  /// An item with its pool and its position in the catalogue.
  public record Entry(PoolName pool, int ordinal, ItemState state) {}

  /// Before the first item of a pool.
  public static final int BEFORE_FIRST = -1;

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
            select.setString(4, pool);
            select.setInt(5, ordinal);
            select.setInt(6, limit);
            select.setInt(7, limit);
            try (var rows = select.executeQuery()) {
              return entries(rows);
            }
          }
        });
  }

  /// The items of a pool, in the order of the catalogue.
  ///
  /// @param after the ordinal of the last item of the previous page, or `BEFORE_FIRST`
  public List<Entry> page(PoolName pool, int after, int limit) {
    return transactions.read(
        connection -> {
          try (var select = connection.prepareStatement(PAGE)) {
            select.setString(1, pool.value());
            select.setInt(2, after);
            select.setString(3, pool.value());
            select.setInt(4, after);
            select.setInt(5, limit);
            try (var rows = select.executeQuery()) {
              return entries(rows);
            }
          }
        });
  }

  private static List<Entry> entries(ResultSet rows) throws SQLException {
    var entries = new ArrayList<Entry>();
    while (rows.next()) {
      entries.add(
          new Entry(new PoolName(rows.getString("pool")), rows.getInt("ordinal"), state(rows)));
    }
    return entries;
  }

  private static ItemState state(ResultSet row) throws SQLException {
    return row.getArray(StockLevel.COLUMN) != null
        ? ItemState.of(StockLevel.of(row))
        : new ItemState(
            new ItemId(row.getString("item")),
            row.getLong("version"),
            ItemState.Status.valueOf(row.getString("status")),
            null);
  }
}
