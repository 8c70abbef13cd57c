package io.holdfast.commitment;

import io.holdfast.pool.ItemId;
import io.holdfast.pool.PoolName;
import io.holdfast.postgres.Transactions;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;

/// How the items of a pool stand in Postgres, for those who compare or copy them.
@Singleton
public final class ItemStates {
  private static final String PAGE =
      """
      SELECT item, version, status FROM item
       WHERE pool = ? AND ordinal > ?
       ORDER BY ordinal
       LIMIT ?
      """;

  private final Transactions transactions;

  ItemStates(Transactions transactions) {
    this.transactions = transactions;
  }

  /// In the order of the catalogue.
  ///
  /// @param after how many of them to skip
  public List<ItemState> page(PoolName pool, int after, int limit) {
    return transactions.read(
        connection -> {
          try (var select = connection.prepareStatement(PAGE)) {
            select.setString(1, pool.value());
            select.setInt(2, after);
            select.setInt(3, limit);
            var items = new ArrayList<ItemState>();
            try (var rows = select.executeQuery()) {
              while (rows.next()) {
                items.add(
                    new ItemState(
                        new ItemId(rows.getString("item")),
                        rows.getLong("version"),
                        ItemState.Status.valueOf(rows.getString("status"))));
              }
            }
            return items;
          }
        });
  }
}
