package io.holdfast.commitment.sale;

import io.holdfast.commitment.ConfirmRequest;
import io.holdfast.commitment.StockLevel;
import io.holdfast.pool.PoolKind;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// The stock of each pool as the last transaction of this instance left it. A sale needs the
/// current version, so transactions of this instance on one stock run one after the other. Another
/// instance may change a stock at any time; then the version is wrong, nothing is sold, and the
/// sale reads the stock.
final class StockLevels {
  private final Map<String, Known> known = new ConcurrentHashMap<>();

  private static final class Known {
    private final ReentrantLock lock = new ReentrantLock(true);
    private volatile @Nullable StockLevel level;
  }

  /// The stocks that a transaction uses, until it is closed.
  interface InUse extends AutoCloseable {
    @Override
    void close();
  }

  /// Waits for the other transactions of this instance on the same stocks.
  InUse use(List<ConfirmRequest> requests) {
    var stocks =
        requests.stream()
            .filter(request -> request.pool().kind() == PoolKind.STOCK)
            .map(request -> request.pool().name().value())
            .distinct()
            .sorted() // one order, so that no two wait for each other
            .map(this::of)
            .toList();
    stocks.forEach(stock -> stock.lock.lock());
    return () -> stocks.forEach(stock -> stock.lock.unlock());
  }

  /// Null for a pool without a stock, and for a stock that is not known.
  @Nullable StockLevel find(ConfirmRequest request) {
    var stock = known.get(request.pool().name().value());
    return stock == null ? null : stock.level;
  }

  void learn(Map<String, StockLevel> levels) {
    levels.forEach((pool, level) -> of(pool).level = level);
  }

  /// A sale was not as assumed.
  void forget(List<ConfirmRequest> requests) {
    for (var request : requests) {
      var stock = known.get(request.pool().name().value());
      if (stock != null) {
        stock.level = null;
      }
    }
  }

  private Known of(String pool) {
    return known.computeIfAbsent(pool, _ -> new Known());
  }
}
