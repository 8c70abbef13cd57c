package io.holdfast.catalogue;

import io.holdfast.catalogue.CreateOutcome.Created;
import io.holdfast.catalogue.CreateOutcome.Different;
import io.holdfast.catalogue.CreateOutcome.Same;
import io.holdfast.pool.CatalogueItem;
import io.holdfast.pool.Epoch;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolKind;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.postgres.Transaction;
import io.holdfast.postgres.Transactions;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The pools, their rules and their items, for good. What is in Redis of them is a copy.
@Singleton
public final class Catalogue {
  private static final String POOL =
      "SELECT pool, kind, item_count, capacity, epoch, " + PolicyJson.COLUMNS + " FROM pool ";

  private final Transactions transactions;

  public Catalogue(Transactions transactions) {
    this.transactions = transactions;
  }

  /// In a transaction of its own.
  public CreateOutcome create(Pool pool, List<CatalogueItem> items, String createdBy) {
    return transactions.write(connection -> create(connection, pool, items, createdBy));
  }

  /// As a part of the caller's transaction.
  public CreateOutcome create(
      Transaction transaction, Pool pool, List<CatalogueItem> items, String createdBy) {
    try {
      return create(transaction.connection(), pool, items, createdBy);
    } catch (SQLException e) {
      throw PostgresUnavailable.nothingChanged(e);
    }
  }

  /// As a part of the caller's transaction. Of several who create one name at once, all but one
  /// wait for that one and then compare.
  CreateOutcome create(
      Connection connection, Pool pool, List<CatalogueItem> items, String createdBy)
      throws SQLException {
    if (insert(connection, pool, createdBy)) {
      CatalogueItems.insert(connection, pool.name(), items);
      return new Created();
    }
    var present = find(connection, pool.name()).orElseThrow();
    return isSame(connection, present, pool, items) ? new Same(present) : new Different();
  }

  public Optional<Pool> find(PoolName name) {
    return transactions.read(connection -> find(connection, name));
  }

  /// Pools in the order of their names.
  ///
  /// @param after the last name of the page before, or an empty text
  public List<Pool> page(String after, int limit) {
    return transactions.read(
        connection -> {
          var sql = POOL + "WHERE pool > ? AND epoch > 0 ORDER BY pool LIMIT ?";
          try (var select = connection.prepareStatement(sql)) {
            select.setString(1, after);
            select.setInt(2, limit);
            return pools(select.executeQuery());
          }
        });
  }

  /// The pools that were created in the last `time`, as far as their transactions have ended.
  public List<Pool> createdWithin(Duration time) {
    return transactions.read(
        connection -> {
          var sql = POOL + "WHERE created_at > now() - ? * interval '1 ms' AND epoch > 0";
          try (var select = connection.prepareStatement(sql)) {
            select.setLong(1, time.toMillis());
            return pools(select.executeQuery());
          }
        });
  }

  /// The items of a pool, in the order in which they were given.
  ///
  /// @param after how many of them to skip
  public List<CatalogueItem> items(PoolName pool, int after, int limit) {
    return transactions.read(connection -> CatalogueItems.select(connection, pool, after, limit));
  }

  /// The items of a pool that are gone for good.
  public Set<String> sold(PoolName pool) {
    return transactions.read(
        connection -> {
          var sql = "SELECT item FROM item WHERE pool = ? AND status = 'SOLD'";
          try (var select = connection.prepareStatement(sql)) {
            select.setString(1, pool.value());
            var sold = new HashSet<String>();
            try (var rows = select.executeQuery()) {
              while (rows.next()) {
                sold.add(rows.getString(1));
              }
            }
            return sold;
          }
        });
  }

  private static boolean insert(Connection connection, Pool pool, String createdBy)
      throws SQLException {
    var sql =
        """
        INSERT INTO pool (pool, kind, epoch, policy, item_count, capacity, created_by)
        VALUES (?, ?, ?, ?::jsonb, ?, ?, ?)
            ON CONFLICT (pool) DO NOTHING
        """;
    try (var insert = connection.prepareStatement(sql)) {
      insert.setString(1, pool.name().value());
      insert.setString(2, pool.kind().name());
      insert.setLong(3, pool.epoch().value());
      insert.setString(4, PolicyJson.write(pool.policy()));
      insert.setInt(5, pool.itemCount());
      insert.setObject(6, pool.capacity(), Types.BIGINT);
      insert.setString(7, createdBy);
      return insert.executeUpdate() == 1;
    }
  }

  /// The epoch is not a part of what somebody asked for.
  private static boolean isSame(
      Connection connection, Pool present, Pool pool, List<CatalogueItem> items)
      throws SQLException {
    var asked =
        new Pool(
            pool.name(),
            pool.kind(),
            pool.policy(),
            pool.itemCount(),
            pool.capacity(),
            present.epoch());
    return present.equals(asked)
        && CatalogueItems.countSame(connection, pool.name(), items) == present.itemCount();
  }

  private static Optional<Pool> find(Connection connection, PoolName name) throws SQLException {
    try (var select = connection.prepareStatement(POOL + "WHERE pool = ? AND epoch > 0")) {
      select.setString(1, name.value());
      return pools(select.executeQuery()).stream().findFirst();
    }
  }

  private static List<Pool> pools(ResultSet rows) throws SQLException {
    var pools = new ArrayList<Pool>();
    while (rows.next()) {
      var kind = PoolKind.valueOf(rows.getString("kind"));
      pools.add(
          new Pool(
              new PoolName(rows.getString("pool")),
              kind,
              PolicyJson.read(rows, kind),
              rows.getInt("item_count"),
              rows.getObject("capacity", Long.class),
              new Epoch(rows.getLong("epoch"))));
    }
    return pools;
  }
}
