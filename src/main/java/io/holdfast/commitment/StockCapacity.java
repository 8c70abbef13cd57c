package io.holdfast.commitment;

import io.holdfast.pool.PoolName;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.postgres.StatementRun;
import io.holdfast.postgres.Transaction;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Optional;

/// Changes the capacity of a stock, in the caller's transaction.
public final class StockCapacity {
  private static final String CHANGE =
      """
      UPDATE stock SET capacity = ?, version = version + 1
       WHERE pool = ? AND sold + claimed <= ?
      RETURNING ARRAY[version, capacity, sold, claimed] AS stock_level
      """;

  private StockCapacity() {}

  /// Empty, and nothing is changed, if more units are sold or claimed.
  public static Optional<StockLevel> change(Transaction transaction, PoolName pool, long capacity) {
    var levels = new ArrayList<StockLevel>();
    try (var run = StatementRun.of(transaction.connection(), CHANGE)) {
      run.number(capacity).text(pool.value()).number(capacity);
      run.execute().take(row -> levels.add(StockLevel.of(row)));
    } catch (SQLException e) {
      throw PostgresUnavailable.nothingChanged(e);
    }
    return levels.stream().findFirst();
  }
}
