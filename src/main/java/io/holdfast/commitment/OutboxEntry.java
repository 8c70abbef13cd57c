package io.holdfast.commitment;

import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.PoolName;
import java.util.List;

/// The current state of a hold and its items in Postgres, for Redis to apply.
///
/// @param live how many items or units of its sale are not voided
public record OutboxEntry(
    long id, PoolName pool, HoldRecord hold, List<ItemState> items, int live) {
  public OutboxEntry {
    items = List.copyOf(items);
  }
}
