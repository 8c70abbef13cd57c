package io.holdfast.journal.store;

import io.holdfast.pool.EndReason;
import io.holdfast.pool.Fence;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.HoldRecord.Bid;
import io.holdfast.pool.HoldState;
import io.holdfast.pool.ItemId;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.ArrayBinder;
import io.holdfast.postgres.Transactions;
import jakarta.inject.Singleton;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Reads the holds that the journal has stored in Postgres. A hold that is HELD here may have ended
/// in Redis already, and its lease here is that of its placement.
@Singleton
public final class HoldRows {
  private final Transactions transactions;

  public HoldRows(Transactions transactions) {
    this.transactions = transactions;
  }

  public Optional<HoldRecord> find(HoldId id) {
    return transactions.read(
        connection -> {
          var sql = "SELECT * FROM hold WHERE pool = ? AND hold_id = ?";
          try (var select = connection.prepareStatement(sql)) {
            select.setString(1, id.pool().value());
            select.setString(2, id.toString());
            return records(select).stream().findFirst();
          }
        });
  }

  /// In the order of fences, which is the order of placement.
  ///
  /// @param after the last fence of the previous page, or 0
  public List<HoldRecord> page(PoolName pool, HoldFilter filter, long after, int limit) {
    var sql =
        """
        SELECT * FROM hold
         WHERE pool = ?
           AND fence > ?
           AND caller = ?
           %s
           AND (?::text IS NULL OR requester = ?)
         ORDER BY fence
         LIMIT ?
        """
            .formatted(isState(filter));
    return transactions.read(
        connection -> {
          try (var select = connection.prepareStatement(sql)) {
            select.setString(1, pool.value());
            select.setLong(2, after);
            select.setString(3, filter.caller());
            select.setString(4, filter.requester());
            select.setString(5, filter.requester());
            select.setInt(6, limit);
            return records(select);
          }
        });
  }

  /// A hold and its pool.
  public record InPool(PoolName pool, HoldRecord hold) {}

  /// The holds of one requester in all pools, in the order of pools and fences.
  ///
  /// @param after the last hold of the previous page
  public List<InPool> ofRequester(
      String caller, String requester, @Nullable HoldId after, int limit) {
    var sql =
        """
        SELECT * FROM hold
         WHERE caller = ? AND requester = ? AND (pool, fence) > (?, ?)
         ORDER BY pool, fence
         LIMIT ?
        """;
    return transactions.read(
        connection -> {
          try (var select = connection.prepareStatement(sql)) {
            select.setString(1, caller);
            select.setString(2, requester);
            select.setString(3, after == null ? "" : after.pool().value());
            select.setLong(4, after == null ? 0 : after.fence().value());
            select.setInt(5, limit);
            var holds = new ArrayList<InPool>();
            try (var rows = select.executeQuery()) {
              while (rows.next()) {
                holds.add(new InPool(new PoolName(rows.getString("pool")), record(rows)));
              }
            }
            return holds;
          }
        });
  }

  /// A literal, so that the planner can use the partial index of live holds.
  private static String isState(HoldFilter filter) {
    return filter.state() == null ? "" : "AND state = '" + filter.state() + "'";
  }

  /// Returns the newest live holds below a fence, for seeding Redis. The last one has the fence to
  /// continue from.
  public List<HoldRecord> live(PoolName pool, long below, int limit) {
    var sql =
        """
        SELECT * FROM hold
         WHERE pool = ? AND fence < ? AND state = 'HELD'
         ORDER BY fence DESC
         LIMIT ?
        """;
    return transactions.read(
        connection -> {
          try (var select = connection.prepareStatement(sql)) {
            select.setString(1, pool.value());
            select.setLong(2, below);
            select.setInt(3, limit);
            return records(select);
          }
        });
  }

  /// Returns the pools that have live holds, with one index step for each.
  public List<PoolName> poolsWithLiveHolds() {
    return names(
        """
        WITH RECURSIVE live (pool) AS (
            (SELECT pool FROM hold WHERE state = 'HELD' ORDER BY pool LIMIT 1)
            UNION ALL
            SELECT (SELECT h.pool FROM hold h WHERE h.state = 'HELD' AND h.pool > live.pool
                     ORDER BY h.pool LIMIT 1)
              FROM live
             WHERE live.pool IS NOT NULL)
        SELECT pool FROM live WHERE pool IS NOT NULL
        """,
        null);
  }

  /// Returns those of the given pools that have live holds.
  public List<PoolName> withLiveHolds(Collection<PoolName> pools) {
    return names(
        """
        SELECT asked.pool FROM unnest(?) AS asked (pool)
         WHERE EXISTS (SELECT 1 FROM hold WHERE hold.pool = asked.pool AND hold.state = 'HELD')
        """,
        pools.stream().map(PoolName::value).toArray(String[]::new));
  }

  private List<PoolName> names(String sql, String @Nullable [] pools) {
    return transactions.read(
        connection -> {
          try (var select = connection.prepareStatement(sql)) {
            if (pools != null) {
              select.setArray(1, connection.createArrayOf("text", pools));
            }
            var names = new ArrayList<PoolName>();
            try (var rows = select.executeQuery()) {
              while (rows.next()) {
                names.add(new PoolName(rows.getString(1)));
              }
            }
            return names;
          }
        });
  }

  /// Returns the states of the holds with these fences; Postgres may not have all of them.
  public Map<Fence, HoldState> states(PoolName pool, Collection<Fence> fences) {
    var numbers = fences.stream().map(Fence::value).toArray(Long[]::new);
    return transactions.read(
        connection -> {
          var sql = "SELECT fence, state FROM hold WHERE pool = ? AND fence = ANY (?)";
          try (var select = connection.prepareStatement(sql)) {
            select.setString(1, pool.value());
            select.setArray(2, connection.createArrayOf("bigint", numbers));
            var states = new HashMap<Fence, HoldState>();
            try (var rows = select.executeQuery()) {
              while (rows.next()) {
                states.put(new Fence(rows.getLong(1)), HoldState.valueOf(rows.getString(2)));
              }
            }
            return states;
          }
        });
  }

  private static List<HoldRecord> records(PreparedStatement select) throws SQLException {
    var records = new ArrayList<HoldRecord>();
    try (var rows = select.executeQuery()) {
      while (rows.next()) {
        records.add(record(rows));
      }
    }
    return records;
  }

  /// Whether a bid led when it was placed is known to Redis and to its token only.
  private static @Nullable Bid bid(ResultSet row) throws SQLException {
    var amount = row.getLong("amount_cents");
    return row.wasNull() ? null : new Bid(amount, false);
  }

  /// Reads a row that has all columns of the table.
  public static HoldRecord record(ResultSet row) throws SQLException {
    var reason = row.getString("end_reason");
    return new HoldRecord(
        HoldState.valueOf(row.getString("state")),
        new Fence(row.getLong("fence")),
        row.getString("salt"),
        row.getString("caller"),
        row.getString("requester"),
        ArrayBinder.moment(row, "placed_at"),
        ArrayBinder.moment(row, "lease_until"),
        ArrayBinder.moment(row, "expires_at"),
        Duration.ofMillis(row.getLong("lease_ms")),
        row.getString("ended_at") == null ? null : ArrayBinder.moment(row, "ended_at"),
        reason == null ? null : EndReason.valueOf(reason),
        row.getLong("pin_no"),
        ArrayBinder.token(row, "token"),
        Stream.of((String[]) row.getArray("items").getArray()).map(ItemId::new).toList(),
        row.getObject("quantity") == null ? null : row.getInt("quantity"),
        row.getString("metadata"),
        bid(row));
  }
}
