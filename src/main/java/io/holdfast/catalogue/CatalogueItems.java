package io.holdfast.catalogue;

import io.holdfast.pool.CatalogueItem;
import io.holdfast.pool.ItemId;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.Columns;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/// The items of a pool: up to a hundred thousand of them, written and compared in chunks.
final class CatalogueItems {
  private static final int CHUNK = 5_000;

  private static final String GIVEN =
      """
      unnest(?::text[], ?::text[], ?::text[], ?::bigint[], ?::float8[], ?::float8[], ?::bigint[])
          WITH ORDINALITY AS given (item, section, row, number, x, y, price_cents, place)
      """;

  private CatalogueItems() {}

  static void insert(Connection connection, PoolName pool, List<CatalogueItem> items)
      throws SQLException {
    var sql =
        """
        INSERT INTO item (pool, ordinal, item, section, row, number, x, y, price_cents)
        SELECT ?, ? + place, item, section, row, number, x, y, price_cents FROM
        """
            + GIVEN;
    try (var insert = connection.prepareStatement(sql)) {
      for (var start = 0; start < items.size(); start += CHUNK) {
        bind(connection, insert, pool, start, items);
        insert.executeUpdate();
      }
    }
  }

  /// How many of the items are there just as given, and in the same place of the order.
  static int countSame(Connection connection, PoolName pool, List<CatalogueItem> items)
      throws SQLException {
    var sql =
        """
        WITH asked (pool, start) AS (SELECT ?::text, ?::integer)
        SELECT count(*)
          FROM item i JOIN asked USING (pool), %s
         WHERE i.ordinal = start + place
           AND (i.item, i.section, i.row, i.number, i.x, i.y, i.price_cents)
               IS NOT DISTINCT FROM (given.item, given.section, given.row, given.number, given.x,
                                     given.y, given.price_cents)
        """
            .formatted(GIVEN);
    var same = 0;
    try (var select = connection.prepareStatement(sql)) {
      for (var start = 0; start < items.size(); start += CHUNK) {
        bind(connection, select, pool, start, items);
        try (var rows = select.executeQuery()) {
          rows.next();
          same += rows.getInt(1);
        }
      }
    }
    return same;
  }

  private static void bind(
      Connection connection,
      PreparedStatement statement,
      PoolName pool,
      int start,
      List<CatalogueItem> items)
      throws SQLException {
    statement.setString(1, pool.value());
    statement.setInt(2, start);
    var chunk = items.subList(start, Math.min(items.size(), start + CHUNK));
    new Columns<>(connection, statement, 3, chunk)
        .text(item -> item.item().value())
        .text(CatalogueItem::section)
        .text(CatalogueItem::row)
        .number(item -> item.number() == null ? null : item.number().longValue())
        .real(CatalogueItem::x)
        .real(CatalogueItem::y)
        .number(CatalogueItem::priceCents);
  }

  static List<CatalogueItem> select(Connection connection, PoolName pool, int after, int limit)
      throws SQLException {
    var sql =
        """
        SELECT item, section, row, number, x, y, price_cents
          FROM item
         WHERE pool = ? AND ordinal > ?
         ORDER BY ordinal
         LIMIT ?
        """;
    try (var select = connection.prepareStatement(sql)) {
      select.setString(1, pool.value());
      select.setInt(2, after);
      select.setInt(3, limit);
      var items = new ArrayList<CatalogueItem>();
      try (var row = select.executeQuery()) {
        while (row.next()) {
          items.add(
              new CatalogueItem(
                  new ItemId(row.getString("item")),
                  row.getString("section"),
                  row.getString("row"),
                  row.getObject("number", Integer.class),
                  row.getObject("x", Double.class),
                  row.getObject("y", Double.class),
                  row.getLong("price_cents")));
        }
      }
      return items;
    }
  }
}
