package io.holdfast.catalogue;

import io.holdfast.pool.CatalogueItem;
import io.holdfast.pool.Pool;
import io.holdfast.pool.PoolKind;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.ArrayBinder;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.postgres.Transaction;
import io.micronaut.serde.ObjectMapper;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;

/// Inserts pools with up to a hundred thousand items, and compares items with those in the table,
/// both in chunks.
@Singleton
final class PoolWriter {
  private static final int CHUNK = 5_000;

  private static final String INSERT_POOL =
      """
      INSERT INTO pool (pool, kind, epoch, policy, item_count, capacity, created_by)
      VALUES (?, ?, ?, ?::jsonb, ?, ?, ?)
          ON CONFLICT (pool) DO NOTHING
      """;

  private static final String INSERT_STOCK =
      "INSERT INTO stock (pool, capacity, price_cents) VALUES (?, ?, ?)";

  private static final String INSERT_AUCTION =
      """
      INSERT INTO auction (pool, closes_at, reserve_cents)
      VALUES (?, to_timestamp(?::float8 / 1000), ?)
      """;

  private static final String INSERT_ITEMS =
      """
      INSERT INTO item (pool, ordinal, item, section, row, number, x, y, price_cents)
      SELECT ?, ? + place, item, section, row, number, x, y, price_cents
        FROM unnest(?::text[], ?::text[], ?::text[], ?::bigint[], ?::float8[], ?::float8[],
                    ?::bigint[])
             WITH ORDINALITY AS given (item, section, row, number, x, y, price_cents, place)
      """;

  private static final String COUNT_SAME_ITEMS =
      """
      WITH asked (pool, start) AS (SELECT ?::text, ?::integer)
      SELECT count(*)
        FROM item i JOIN asked USING (pool),
             unnest(?::text[], ?::text[], ?::text[], ?::bigint[], ?::float8[], ?::float8[],
                    ?::bigint[])
             WITH ORDINALITY AS given (item, section, row, number, x, y, price_cents, place)
       WHERE i.ordinal = start + place
         AND (i.item, i.section, i.row, i.number, i.x, i.y, i.price_cents)
             IS NOT DISTINCT FROM (given.item, given.section, given.row, given.number, given.x,
                                   given.y, given.price_cents)
      """;

  private final ObjectMapper json;

  PoolWriter(ObjectMapper json) {
    this.json = json;
  }

  /// Returns false, and writes nothing, if there is a pool of this name.
  boolean insert(Transaction transaction, Pool pool, List<CatalogueItem> items, String createdBy) {
    try {
      if (!insertPool(transaction.connection(), pool, createdBy)) {
        return false;
      }
      insertStock(transaction.connection(), pool);
      insertAuction(transaction.connection(), pool);
      insertItems(transaction.connection(), pool.name(), 0, items);
      return true;
    } catch (SQLException e) {
      throw PostgresUnavailable.nothingChanged(e);
    }
  }

  /// Adds items behind those that the pool has.
  void add(Transaction transaction, Pool pool, List<CatalogueItem> items) {
    try {
      insertItems(transaction.connection(), pool.name(), pool.itemCount(), items);
    } catch (SQLException e) {
      throw PostgresUnavailable.nothingChanged(e);
    }
  }

  /// How many of the items are in the table with equal content and in the same place of the order.
  int countSame(Transaction transaction, PoolName pool, List<CatalogueItem> items) {
    var connection = transaction.connection();
    try (var select = connection.prepareStatement(COUNT_SAME_ITEMS)) {
      var same = 0;
      for (var start = 0; start < items.size(); start += CHUNK) {
        bindChunk(connection, select, pool, 0, start, items);
        try (var rows = select.executeQuery()) {
          rows.next();
          same += rows.getInt(1);
        }
      }
      return same;
    } catch (SQLException e) {
      throw PostgresUnavailable.nothingChanged(e);
    }
  }

  private boolean insertPool(Connection connection, Pool pool, String createdBy)
      throws SQLException {
    try (var insert = connection.prepareStatement(INSERT_POOL)) {
      insert.setString(1, pool.name().value());
      insert.setString(2, pool.kind().name());
      insert.setLong(3, pool.epoch().value());
      insert.setString(4, policyJson(pool));
      insert.setInt(5, pool.itemCount());
      insert.setObject(6, pool.capacity(), Types.BIGINT);
      insert.setString(7, createdBy);
      return insert.executeUpdate() == 1;
    }
  }

  private static void insertStock(Connection connection, Pool pool) throws SQLException {
    if (pool.kind() == PoolKind.STOCK) {
      try (var insert = connection.prepareStatement(INSERT_STOCK)) {
        insert.setString(1, pool.name().value());
        insert.setObject(2, pool.capacity(), Types.BIGINT);
        insert.setObject(3, pool.priceCents(), Types.BIGINT);
        insert.executeUpdate();
      }
    }
  }

  private static void insertAuction(Connection connection, Pool pool) throws SQLException {
    var terms = pool.auction();
    if (terms != null) {
      try (var insert = connection.prepareStatement(INSERT_AUCTION)) {
        insert.setString(1, pool.name().value());
        insert.setLong(2, terms.closesAt().toEpochMilli());
        insert.setLong(3, terms.reserveCents());
        insert.executeUpdate();
      }
    }
  }

  String policyJson(Pool pool) {
    try {
      return json.writeValueAsString(StoredPolicy.of(pool.policy()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// @param before number of items that the pool has already
  private static void insertItems(
      Connection connection, PoolName pool, int before, List<CatalogueItem> items)
      throws SQLException {
    try (var insert = connection.prepareStatement(INSERT_ITEMS)) {
      for (var start = 0; start < items.size(); start += CHUNK) {
        bindChunk(connection, insert, pool, before, start, items);
        insert.executeUpdate();
      }
    }
  }

  private static void bindChunk(
      Connection connection,
      PreparedStatement statement,
      PoolName pool,
      int before,
      int start,
      List<CatalogueItem> items)
      throws SQLException {
    statement.setString(1, pool.value());
    statement.setInt(2, before + start);
    var chunk = items.subList(start, Math.min(items.size(), start + CHUNK));
    new ArrayBinder<>(statement, 3, chunk)
        .text(item -> item.item().value())
        .text(CatalogueItem::section)
        .text(CatalogueItem::row)
        .number(item -> item.number() == null ? null : item.number().longValue())
        .real(CatalogueItem::x)
        .real(CatalogueItem::y)
        .number(CatalogueItem::priceCents);
  }
}
