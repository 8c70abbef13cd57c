package io.holdfast.commitment.listing;

import io.holdfast.commitment.listing.ListedSale.Item;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.PoolKind;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.ArrayBinder;
import io.holdfast.postgres.Transactions;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Reads the sales of a pool page by page, in the order of their ids: nearly that of their holds.
/// The index that finds the commitments of a hold has this order, so sales need no further one.
@Singleton
final class SalesReader {
  /// The filters are on columns that all commitments of a sale share.
  private static final String PAGE =
      """
      SELECT sale.*, coalesce(h.metadata, '') AS metadata
        FROM (SELECT hold_id, min(caller) AS caller, min(requester) AS requester,
                     min(order_id) AS order_id, min(currency) AS currency,
                     min(committed_at) AS committed_at,
                     array_agg(item ORDER BY item) AS items,
                     array_agg(price_cents ORDER BY item) AS prices,
                     array_agg((extract(epoch FROM voided_at) * 1000)::bigint ORDER BY item)
                     AS voided_ms
                FROM commitment
               WHERE pool = ? AND hold_id > ?
                 AND (?::text IS NULL OR caller = ?)
                 AND (?::text IS NULL OR requester = ?)
                 AND (?::text IS NULL OR order_id = ?)
                 AND (?::timestamptz IS NULL OR committed_at >= ?)
                 AND (?::timestamptz IS NULL OR committed_at < ?)
               GROUP BY hold_id
              HAVING CASE ?::text
                     WHEN 'SOLD' THEN count(voided_at) = 0
                     WHEN 'PARTLY_VOIDED' THEN count(voided_at) BETWEEN 1 AND count(*) - 1
                     WHEN 'VOIDED' THEN count(voided_at) = count(*)
                     ELSE true END
               ORDER BY hold_id LIMIT ?) AS sale
             LEFT JOIN hold h ON h.pool = ? AND h.hold_id = sale.hold_id
       ORDER BY sale.hold_id
      """;

  private final Transactions transactions;

  SalesReader(Transactions transactions) {
    this.transactions = transactions;
  }

  /// Empty if there is no such pool.
  Optional<PoolKind> kind(PoolName pool) {
    return transactions.read(connection -> kind(connection, pool));
  }

  private static Optional<PoolKind> kind(Connection connection, PoolName pool) throws SQLException {
    try (var select = connection.prepareStatement("SELECT kind FROM pool WHERE pool = ?")) {
      select.setString(1, pool.value());
      try (var row = select.executeQuery()) {
        return row.next() ? Optional.of(PoolKind.valueOf(row.getString("kind"))) : Optional.empty();
      }
    }
  }

  /// @param after the hold of the last sale of the page before; empty for the first page
  List<ListedSale> page(SalesFilter filter, String after, int limit) {
    return transactions.read(connection -> page(connection, filter, after, limit));
  }

  private static List<ListedSale> page(
      Connection connection, SalesFilter filter, String after, int limit) throws SQLException {
    try (var select = connection.prepareStatement(PAGE)) {
      bind(select, filter, after, limit);
      var page = new ArrayList<ListedSale>();
      try (var rows = select.executeQuery()) {
        while (rows.next()) {
          page.add(sale(rows));
        }
      }
      return page;
    }
  }

  private static void bind(PreparedStatement select, SalesFilter filter, String after, int limit)
      throws SQLException {
    var state = filter.state();
    select.setString(1, filter.pool().value());
    select.setString(2, after);
    select.setString(3, filter.caller());
    select.setString(4, filter.caller());
    select.setString(5, filter.requester());
    select.setString(6, filter.requester());
    select.setString(7, filter.orderId());
    select.setString(8, filter.orderId());
    select.setObject(9, utc(filter.from()));
    select.setObject(10, utc(filter.from()));
    select.setObject(11, utc(filter.until()));
    select.setObject(12, utc(filter.until()));
    select.setString(13, state == null ? null : state.name());
    select.setInt(14, limit);
    select.setString(15, filter.pool().value());
  }

  private static @Nullable Object utc(@Nullable Instant moment) {
    return moment == null ? null : moment.atOffset(ZoneOffset.UTC);
  }

  private static ListedSale sale(ResultSet row) throws SQLException {
    return new ListedSale(
        HoldId.parse(row.getString("hold_id")).orElseThrow(),
        row.getString("caller"),
        row.getString("requester"),
        row.getString("order_id"),
        row.getString("currency"),
        ArrayBinder.moment(row, "committed_at"),
        row.getString("metadata"),
        items(row));
  }

  private static List<Item> items(ResultSet row) throws SQLException {
    var names = (String[]) row.getArray("items").getArray();
    var cents = (Long[]) row.getArray("prices").getArray();
    var voided = (@Nullable Long[]) row.getArray("voided_ms").getArray();
    var items = new ArrayList<Item>();
    for (var i = 0; i < names.length; i++) {
      var at = voided[i] == null ? null : Instant.ofEpochMilli(voided[i]);
      items.add(new Item(names[i], cents[i], at));
    }
    return items;
  }
}
