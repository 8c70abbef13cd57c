package io.holdfast.catalogue;

import io.holdfast.catalogue.CreateOutcome.Created;
import io.holdfast.catalogue.CreateOutcome.Different;
import io.holdfast.catalogue.CreateOutcome.Same;
import io.holdfast.pool.CatalogueItem;
import io.holdfast.pool.Pool;
import io.holdfast.pool.Pool.SalesTimes;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.Transaction;
import io.holdfast.postgres.Transactions;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The pools with their policies and items, as Postgres stores them. Redis only has a copy.
@Singleton
public final class Catalogue {
  private final Transactions transactions;
  private final PoolTable pools;
  private final ItemTable items;
  private final PoolWriter writer;

  Catalogue(Transactions transactions, PoolTable pools, ItemTable items, PoolWriter writer) {
    this.transactions = transactions;
    this.pools = pools;
    this.items = items;
    this.writer = writer;
  }

  /// Creates a pool in a transaction of its own.
  CreateOutcome create(Pool pool, List<CatalogueItem> offered, String createdBy) {
    return transactions.write(
        connection -> create(new Transaction(connection), pool, offered, createdBy));
  }

  /// Creates a pool as a part of the caller's transaction. Concurrent calls for one name wait for
  /// the first of them to commit, and then compare.
  CreateOutcome create(
      Transaction transaction, Pool pool, List<CatalogueItem> offered, String createdBy) {
    if (writer.insert(transaction, pool, offered, createdBy)) {
      return new Created();
    }
    var present = find(pool.name()).orElseThrow();
    var isSame =
        hasSameRules(present, pool)
            && writer.countSame(transaction, pool.name(), offered) == present.itemCount();
    return isSame ? new Same(present) : new Different();
  }

  public Optional<Pool> find(PoolName name) {
    return pools.find(name.value()).map(PoolTable.Row::toPool);
  }

  /// Pools in the order of their names.
  ///
  /// @param after the last name of the page before, or an empty text
  List<Pool> page(String after, int limit) {
    return pools.page(after, limit).stream().map(PoolTable.Row::toPool).toList();
  }

  /// The pools that were created or changed in the last `time` and are committed.
  List<Pool> changedWithin(Duration time) {
    return pools.changedWithin(time.toMillis()).stream().map(PoolTable.Row::toPool).toList();
  }

  /// The items of a pool, in the order in which they were given.
  ///
  /// @param after how many of them to skip
  public List<CatalogueItem> items(PoolName pool, int after, int limit) {
    return items.page(pool, after, limit);
  }

  /// The items of a pool that are sold, and those that are out of sale.
  public Unavailable unavailable(PoolName pool) {
    return items.unavailable(pool);
  }

  public record Unavailable(Set<String> sold, Set<String> blocked) {}

  /// The epoch is not a part of the request, so it is not compared.
  private static boolean hasSameRules(Pool present, Pool asked) {
    return present.equals(
        new Pool(
            asked.name(),
            asked.kind(),
            asked.policy(),
            asked.itemCount(),
            asked.capacity(),
            asked.priceCents(),
            asked.auction(),
            present.epoch(),
            SalesTimes.ALWAYS,
            present.version()));
  }
}
