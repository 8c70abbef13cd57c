package io.holdfast.commitment;

import io.holdfast.pool.ItemId;
import org.jspecify.annotations.Nullable;

/// An item and the number of its changes in Postgres. The state with the higher version is the
/// newer one. A pool of units has its stock in the place of items.
///
/// @param stock null for an item
public record ItemVersion(ItemId item, long version, @Nullable StockLevel stock) {

  public static ItemVersion of(ItemId item, long version) {
    return new ItemVersion(item, version, null);
  }

  public static ItemVersion of(StockLevel stock) {
    return new ItemVersion(StockLevel.ENTRY, stock.version(), stock);
  }

  /// @param status of an item
  public ItemState with(ItemState.Status status) {
    return new ItemState(item, version, status, stock);
  }
}
