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

  /// @param before the capacity until now
  public record Changed(long before, StockLevel level) {}

  /// Empty, and nothing is changed, if more units are sold or claimed. The caller has locked the
  /// pool, so the capacity does not change in between.
  public static Optional<Changed> change(Transaction transaction, PoolName pool, long capacity) {
    var changed = new ArrayList<Changed>();
    try (var run = StatementRun.of(transaction.connection(), CHANGE)) {
      var before = StockLevel.read(transaction.connection(), pool).capacity();
      run.number(capacity).text(pool.value()).number(capacity);
      run.execute().take(row -> changed.add(new Changed(before, StockLevel.of(row))));
    } catch (SQLException e) {
      throw PostgresUnavailable.nothingChanged(e);
    }
    return changed.stream().findFirst();
  }
}
