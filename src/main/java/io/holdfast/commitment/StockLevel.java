package io.holdfast.commitment;

import io.holdfast.pool.ItemId;
import io.holdfast.pool.PoolName;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;

/// The row of `stock`: how many units of a pool are sold, and how many running checkouts have
/// claimed. Every change of `sold` or `capacity` increments the version; Redis knows of no claims.
public record StockLevel(long version, long capacity, long sold, long claimed) {
  /// The name of the single entry that a pool of units has in Redis.
  static final ItemId ENTRY = new ItemId("stock");

  /// The column of statements that return a stock row among other rows: the four numbers in the
  /// order of the record.
  static final String COLUMN = "stock_level";

  /// Units that can still be claimed or sold.
  public long left() {
    return capacity - sold - claimed;
  }

  static StockLevel read(Connection connection, PoolName pool) throws SQLException {
    var sql =
        """
        SELECT ARRAY[version, capacity, sold, claimed] AS stock_level FROM stock WHERE pool = ?
        """;
    try (var select = connection.prepareStatement(sql)) {
      select.setString(1, pool.value());
      try (var row = select.executeQuery()) {
        row.next();
        return of(row);
      }
    }
  }

  /// Reads `COLUMN`, which must not be NULL.
  public static StockLevel of(ResultSet row) throws SQLException {
    var numbers = (Long[]) row.getArray(COLUMN).getArray();
    return new StockLevel(numbers[0], numbers[1], numbers[2], numbers[3]);
  }
}
