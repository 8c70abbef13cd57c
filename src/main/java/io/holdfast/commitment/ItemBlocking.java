package io.holdfast.commitment;

import io.holdfast.commitment.ItemState.Status;
import io.holdfast.pool.Epoch;
import io.holdfast.pool.ItemId;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.postgres.StatementRun;
import io.holdfast.postgres.Transaction;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Takes items out of sale and brings them back, in the caller's transaction. Here it is decided
/// whether an item is sold or blocked: both lock its row, and neither follows the other.
public final class ItemBlocking {
  /// The share of the pool keeps its epoch. Redis was asked in that epoch whether the items are
  /// held; a later epoch may have restored a hold.
  private static final String LOCK =
      """
      SELECT 1 FROM pool WHERE pool = ? AND epoch = ? FOR SHARE;
      SELECT item, status FROM item
       WHERE pool = ? AND item = ANY (?::text[])
       ORDER BY item
         FOR UPDATE
      """;

  private static final String BLOCK =
      """
      UPDATE item SET status = 'BLOCKED'
       WHERE pool = ? AND item = ANY (?::text[]) AND status = 'FREE'
         AND clock_timestamp() < to_timestamp(?::float8 / 1000)
      RETURNING item, version, status
      """;

  private static final String UNBLOCK =
      """
      UPDATE item SET status = 'FREE'
       WHERE pool = ? AND item = ANY (?::text[]) AND status = 'BLOCKED'
      RETURNING item, version, status
      """;

  private ItemBlocking() {}

  /// The result of `block`.
  public sealed interface Blocked {
    /// @param items those that were free before
    record Done(List<ItemState> items) implements Blocked {}

    /// These are sold, or a checkout has claimed them. Nothing is changed.
    record Taken(List<String> items) implements Blocked {}

    /// Another call has just brought one of the items back, and Redis may not know it yet: nobody
    /// keeps holds away from it. Nothing is changed.
    record InFlight() implements Blocked {}

    /// What Redis has answered counts no more. Nothing is changed.
    record Outdated() implements Blocked {}
  }

  /// @param epoch in which Redis keeps holds away from the items
  /// @param until how long it does
  /// @param outOfSale those of the items that Redis knows as blocked and keeps nothing away from
  public static Blocked block(
      Transaction transaction,
      PoolName pool,
      Epoch epoch,
      Instant until,
      List<String> items,
      List<String> outOfSale) {
    var taken = new ArrayList<String>();
    var free = new ArrayList<String>();
    try (var run = StatementRun.of(transaction.connection(), LOCK)) {
      run.text(pool.value()).number(epoch.value()).text(pool.value());
      run.rows(items, columns -> columns.text(item -> item)).execute();
      if (run.take(_ -> {}) == 0) {
        return new Blocked.Outdated();
      }
      run.take(
          row -> {
            switch (Status.valueOf(row.getString("status"))) {
              case FREE -> free.add(row.getString("item"));
              case CLAIMED, SOLD -> taken.add(row.getString("item"));
              case BLOCKED -> {}
            }
          });
      if (!taken.isEmpty()) {
        return new Blocked.Taken(taken);
      }
      if (free.stream().anyMatch(outOfSale::contains)) {
        return new Blocked.InFlight();
      }
      var blocked = change(transaction, BLOCK, pool, free, until);
      return blocked.size() == free.size() ? new Blocked.Done(blocked) : new Blocked.Outdated();
    } catch (SQLException e) {
      throw PostgresUnavailable.nothingChanged(e);
    }
  }

  /// Returns those of the items that were blocked; they are free now.
  public static List<ItemState> unblock(
      Transaction transaction, PoolName pool, List<String> items) {
    try {
      return change(transaction, UNBLOCK, pool, items, null);
    } catch (SQLException e) {
      throw PostgresUnavailable.nothingChanged(e);
    }
  }

  private static List<ItemState> change(
      Transaction transaction,
      String sql,
      PoolName pool,
      List<String> items,
      @Nullable Instant until)
      throws SQLException {
    var changed = new ArrayList<ItemState>();
    try (var run = StatementRun.of(transaction.connection(), sql)) {
      run.text(pool.value()).rows(items, columns -> columns.text(item -> item));
      if (until != null) {
        run.number(until.toEpochMilli());
      }
      run.execute()
          .take(
              row ->
                  changed.add(
                      new ItemState(
                          new ItemId(row.getString("item")),
                          row.getLong("version"),
                          Status.valueOf(row.getString("status")),
                          null)));
    }
    return changed;
  }
}
