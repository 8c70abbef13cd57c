package io.holdfast.commitment;

import io.holdfast.commitment.PinResolution.Claimed;
import io.holdfast.commitment.PinResolution.Ended;
import io.holdfast.commitment.PinResolution.EpochEnded;
import io.holdfast.commitment.PinResolution.Unpinned;
import io.holdfast.commitment.sale.ConfirmRules;
import io.holdfast.commitment.sale.HoldColumns;
import io.holdfast.journal.store.HoldRows;
import io.holdfast.pool.Epoch;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.HoldState;
import io.holdfast.pool.ItemId;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.ArrayBinder;
import io.holdfast.postgres.StatementRun;
import io.holdfast.postgres.Transactions;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/// Resolves a pin whose commit has not returned. It writes first: the write waits for a transaction
/// that has locked the hold, and invalidates the pin for every later commit. Then it reads the
/// state.
@Singleton
public final class PinArbiter {
  /// Gives the hold the next pin number, which invalidates the pin. Changes nothing if the hold has
  /// ended, is claimed, or has a newer number. Waits for a transaction that has locked the row.
  private static final String SHUT_OUT =
      """
      INSERT INTO hold AS old
             (pool, hold_id, caller, requester, items, quantity, metadata, fence, salt, token,
              placed_at, lease_until, lease_ms, expires_at, pin_no, state, pseudonym)
      SELECT pool, hold_id, caller, requester, string_to_array(items, E'\\n'), quantity,
             metadata, fence, salt, placing_token, to_timestamp(placed_ms::float8 / 1000),
             to_timestamp(lease_until_ms::float8 / 1000), lease_ms,
             to_timestamp(expires_ms::float8 / 1000), pin_no, 'HELD',
             (SELECT k.pseudonym FROM person_key k
               WHERE k.person_hash = given.person_hash AND k.secret IS NOT NULL)
        FROM (SELECT unnest(?::text[]) AS pool, unnest(?::text[]) AS hold_id,
                     unnest(?::text[]) AS caller, unnest(?::text[]) AS requester,
                     unnest(?::bytea[]) AS person_hash,
                     unnest(?::text[]) AS items, unnest(?::bigint[]) AS quantity,
                     unnest(?::text[]) AS metadata, unnest(?::bigint[]) AS fence,
                     unnest(?::text[]) AS salt, unnest(?::bytea[]) AS placing_token,
                     unnest(?::bigint[]) AS placed_ms, unnest(?::bigint[]) AS lease_until_ms,
                     unnest(?::bigint[]) AS lease_ms, unnest(?::bigint[]) AS expires_ms,
                     unnest(?::bigint[]) AS pin_no) AS given
          ON CONFLICT (pool, hold_id) DO UPDATE
             SET pin_no = EXCLUDED.pin_no
           WHERE old.state = 'HELD' AND old.pin_no <= EXCLUDED.pin_no AND old.pin_no % 2 = 0
      """;

  private final Transactions transactions;

  public PinArbiter(Transactions transactions) {
    this.transactions = transactions;
  }

  PinResolution resolve(PoolName pool, HoldRecord pinned, Epoch epoch) {
    return transactions.write(
        connection -> {
          if (!EpochCheck.isPresent(connection, pool, epoch)) {
            connection.rollback();
            return new EpochEnded();
          }
          shutOut(connection, pool, pinned);
          return resolution(connection, pool, row(connection, pool, pinned));
        });
  }

  private static void shutOut(Connection connection, PoolName pool, HoldRecord pinned)
      throws SQLException {
    HoldColumns.lockPerson(connection, pinned);
    try (var run = StatementRun.of(connection, SHUT_OUT)) {
      run.rows(
              List.of(pinned),
              columns ->
                  HoldColumns.origin(
                          columns.text(_ -> pool.value()).text(hold -> hold.id(pool).toString()),
                          Function.identity())
                      .number(hold -> hold.pinNo() + 1))
          .execute();
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

  private static PinResolution resolution(Connection connection, PoolName pool, HoldRecord row)
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
    if (row.quantity() != null) {
      return List.of(ItemVersion.of(StockLevel.read(connection, pool)));
    }
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
          items.add(ItemVersion.of(new ItemId(rows.getString("item")), rows.getLong("version")));
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
        return ArrayBinder.moment(rows, "until");
      }
    }
  }

  private static Object[] names(HoldRecord row) {
    return row.items().stream().map(item -> item.value()).toArray();
  }
}
