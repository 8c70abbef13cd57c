package io.holdfast.commitment;

import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.PoolName;
import java.util.List;

/// The current state of a hold and its items in Postgres, for Redis to apply.
public record OutboxEntry(long id, PoolName pool, HoldRecord hold, List<ItemState> items) {
  public OutboxEntry {
    items = List.copyOf(items);
  }
}
