package io.holdfast.commitment.sale;

import io.holdfast.commitment.StockLevel;
import io.holdfast.postgres.ArrayBinder;
import java.sql.SQLException;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/// The units that a transaction takes of one stock, and the version that the stock must still have.
public record StockUnits(String pool, long units, long version) {

  /// Sums up the units of requests, by pool.
  ///
  /// @param stock null for a request of a pool without a stock
  public static <R> List<StockUnits> of(
      List<R> requests,
      Function<R, String> pool,
      Function<R, @Nullable StockLevel> stock,
      ToLongFunction<R> units) {
    var sums = new TreeMap<String, StockUnits>();
    for (var request : requests) {
      var level = stock.apply(request);
      if (level != null) {
        var name = pool.apply(request);
        var more = new StockUnits(name, units.applyAsLong(request), level.version());
        sums.merge(name, more, StockUnits::plus);
      }
    }
    return List.copyOf(sums.values());
  }

  /// Binds pool, units and version.
  public static ArrayBinder<StockUnits> bind(ArrayBinder<StockUnits> columns) throws SQLException {
    return columns.text(StockUnits::pool).number(StockUnits::units).number(StockUnits::version);
  }

  private StockUnits plus(StockUnits more) {
    return new StockUnits(pool, units + more.units, version);
  }
}
