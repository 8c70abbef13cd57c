package io.holdfast.commitment.sale;

import io.holdfast.commitment.ItemVersion;
import io.holdfast.commitment.StockLevel;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.ItemId;
import io.holdfast.postgres.ArrayBinder;
import io.holdfast.postgres.StatementRun;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The rows that a transaction of sales returns: its time, the new versions of the items and the
/// ids of the outbox entries, by hold, and the new levels of stocks, by pool.
public final class SaleRows {
  /// The error of `written_as_read`.
  public static final String ROW_COUNT_DIFFERS = "HF001";

  private static final String UNIQUE_VIOLATION = "23505";

  private static final String READ_AGAIN =
      """
      SELECT h.hold_id, i.item, i.version AS number, h.ended_at, h.pool,
             (SELECT ARRAY[s.version, s.capacity, s.sold, s.claimed] FROM stock s
               WHERE s.pool = h.pool) AS stock_level
        FROM (SELECT unnest(?::text[]) AS pool, unnest(?::text[]) AS hold_id) AS given
        JOIN hold h ON h.pool = given.pool AND h.hold_id = given.hold_id
        LEFT JOIN item i ON i.pool = h.pool AND i.item = ANY (h.items)
                        AND i.status = 'SOLD' AND i.holder = h.hold_id
      """;

  private @Nullable Instant moment;
  private final Map<String, Instant> ends = new HashMap<>();
  private final Map<String, List<ItemVersion>> versions = new HashMap<>();
  private final Map<String, Long> outboxIds = new HashMap<>();
  private final Map<String, StockLevel> stocks = new HashMap<>();

  /// Whether the error came before COMMIT. After any other error the transaction may be committed.
  static boolean isNotCommitted(SQLException e, boolean isOptimistic) {
    return ROW_COUNT_DIFFERS.equals(e.getSQLState())
        || isOptimistic && UNIQUE_VIOLATION.equals(e.getSQLState());
  }

  /// Reads a row of `hold_id`, `item`, `number` and `stock_level`: a stock has its pool in the
  /// place of an item, the time of the transaction has neither hold nor item, an outbox entry has
  /// no item.
  public void read(ResultSet row) throws SQLException {
    var hold = row.getString("hold_id");
    if (row.getArray("stock_level") != null) {
      stocks.put(row.getString("item"), StockLevel.of(row));
    } else if (hold == null) {
      moment = Instant.ofEpochMilli(row.getLong("number"));
    } else if (row.getString("item") == null) {
      outboxIds.put(hold, row.getLong("number"));
    } else {
      readItem(hold, row);
    }
  }

  /// Reads the values that the lost response of a committed transaction would have returned, except
  /// for the outbox entries. Those are relayed again, which has no effect.
  ///
  /// @param connection another one
  void readAgain(Connection connection, List<DecidedRequest> sales) throws SQLException {
    try (var run = StatementRun.of(connection, READ_AGAIN)) {
      run.rows(
              sales,
              columns ->
                  columns.text(DecidedRequest::pool).text(sale -> sale.request().hold().toString()))
          .execute()
          .take(
              row -> {
                var hold = row.getString("hold_id");
                ends.put(hold, ArrayBinder.moment(row, "ended_at"));
                if (row.getArray("stock_level") != null) {
                  stocks.put(row.getString("pool"), StockLevel.of(row));
                }
                if (row.getString("item") != null) { // the sale may have been voided meanwhile
                  readItem(hold, row);
                }
              });
    }
  }

  private void readItem(String hold, ResultSet row) throws SQLException {
    versions
        .computeIfAbsent(hold, _ -> new ArrayList<>())
        .add(ItemVersion.of(new ItemId(row.getString("item")), row.getLong("number")));
  }

  /// The time of a sale.
  ///
  /// @param sold ended at the earliest time that it may have
  Instant endOf(HoldRecord sold, String holdId) {
    var end = ends.getOrDefault(holdId, moment);
    return end == null || end.isBefore(sold.endedAt()) ? sold.endedAt() : end;
  }

  /// What Redis has to take over of a change of the hold: its items, or the stock of its pool.
  public List<ItemVersion> versions(HoldId hold) {
    var stock = stocks.get(hold.pool().value());
    return stock == null
        ? versions.getOrDefault(hold.toString(), List.of())
        : List.of(ItemVersion.of(stock));
  }

  Map<String, StockLevel> stocks() {
    return stocks;
  }

  /// The outbox entry of a sale, or 0 if it is not known.
  public long outboxId(String holdId) {
    return outboxIds.getOrDefault(holdId, 0L);
  }
}
