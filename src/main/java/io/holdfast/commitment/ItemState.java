package io.holdfast.commitment;

import io.holdfast.pool.ItemId;
import org.jspecify.annotations.Nullable;

/// The state of an item in Postgres. A pool of units has its stock in the place of items.
///
/// @param stock null for an item
public record ItemState(ItemId item, long version, Status status, @Nullable StockLevel stock) {

  public static ItemState of(StockLevel stock) {
    return new ItemState(StockLevel.ENTRY, stock.version(), Status.FREE, stock);
  }

  public enum Status {
    FREE,
    /// By a running checkout.
    CLAIMED,
    SOLD,
    /// An operator has taken it out of sale.
    BLOCKED
  }
}
