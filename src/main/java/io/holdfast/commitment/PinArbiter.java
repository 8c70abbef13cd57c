package io.holdfast.commitment;

import io.holdfast.commitment.PinResolution.Claimed;
import io.holdfast.commitment.PinResolution.Ended;
import io.holdfast.commitment.PinResolution.Outlived;
import io.holdfast.commitment.PinResolution.Unpinned;
import io.holdfast.journal.store.HoldRows;
import io.holdfast.pool.Epoch;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.HoldState;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.Columns;
import io.holdfast.postgres.LoneRow;
import io.holdfast.postgres.Transactions;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// Finds out how a pinned hold stands by writing: whoever has it in an open transaction is waited
/// for, and whoever comes later with this pin finds it shut out.
@Singleton
final class PinArbiter {
  private final Transactions transactions;

  PinArbiter(Transactions transactions) {
    this.transactions = transactions;
  }

  PinResolution resolve(PoolName pool, HoldRecord pinned, Epoch epoch) {
    return transactions.write(
        connection -> {
          if (!EpochCheck.isPresent(connection, pool, epoch)) {
            connection.rollback();
            return new Outlived();
          }
          shutOut(connection, new HoldUpsert(pool, pinned, pinned.pinNo() + 1));
          return standing(connection, pool, row(connection, pool, pinned));
        });
  }

  /// Changes nothing where the hold has ended, is claimed, or has a newer number.
  private static void shutOut(Connection connection, HoldUpsert write) throws SQLException {
    try (var upsert = connection.prepareStatement(LoneRow.text(HoldUpsert.UPSERT))) {
      HoldUpsert.bind(new Columns.Slots(connection, upsert, 1, true), List.of(write));
      upsert.executeUpdate();
    }
  }

  private static HoldRecord row(Connection connection, PoolName pool, HoldRecord pinned)
      throws SQLException {
    var sql = "SELECT * FROM hold WHERE pool = ? AND hold_id = ?";
    try (var select = connection.prepareStatement(sql)) {
      select.setString(1, pool.value());
      select.setString(2, pinned.id(pool).toString());
      try (var rows = select.executeQuery()) {
        if (!rows.next()) {
          throw new IllegalStateException("hold " + pinned.id(pool) + " was just written");
        }
        return HoldRows.record(rows);
      }
    }
  }

  private static PinResolution standing(Connection connection, PoolName pool, HoldRecord row)
      throws SQLException {
    if (row.state() != HoldState.HELD) {
      return new Ended(
          row, row.state() == HoldState.CONFIRMED ? items(connection, pool, row) : List.of());
    }
    return ConfirmRules.isClaimed(row)
        ? new Claimed(claimUntil(connection, pool, row))
        : new Unpinned(row.pinNo());
  }

  private static List<ItemVersion> items(Connection connection, PoolName pool, HoldRecord row)
      throws SQLException {
    var sql =
        "SELECT item, version FROM item WHERE pool = ? AND holder = ? AND item = ANY (?) ORDER BY"
            + " item";
    try (var select = connection.prepareStatement(sql)) {
      select.setString(1, pool.value());
      select.setString(2, row.id(pool).toString());
      select.setArray(3, connection.createArrayOf("text", names(row)));
      var items = new ArrayList<ItemVersion>();
      try (var rows = select.executeQuery()) {
        while (rows.next()) {
          items.add(ItemUpdates.version(rows));
        }
      }
      return items;
    }
  }

  private static Instant claimUntil(Connection connection, PoolName pool, HoldRecord row)
      throws SQLException {
    var sql =
        """
        SELECT coalesce(max(claim_until), clock_timestamp()) AS until
          FROM item WHERE pool = ? AND holder = ? AND item = ANY (?)
        """;
    try (var select = connection.prepareStatement(sql)) {
      select.setString(1, pool.value());
      select.setString(2, row.id(pool).toString());
      select.setArray(3, connection.createArrayOf("text", names(row)));
      try (var rows = select.executeQuery()) {
        rows.next();
        return Columns.moment(rows, "until");
      }
    }
  }

  private static Object[] names(HoldRecord row) {
    return row.items().stream().map(item -> item.value()).toArray();
  }
}
