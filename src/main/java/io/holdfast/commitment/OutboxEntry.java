package io.holdfast.commitment;

import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.PoolName;
import java.util.List;

/// Something that Redis has to be told: how a hold and its items stand in Postgres now.
public record OutboxEntry(long id, PoolName pool, HoldRecord hold, List<ItemState> items) {
  public OutboxEntry {
    items = List.copyOf(items);
  }
}
