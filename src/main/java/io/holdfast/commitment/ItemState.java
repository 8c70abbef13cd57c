package io.holdfast.commitment;

import io.holdfast.pool.ItemId;

/// How an item stands in Postgres.
public record ItemState(ItemId item, long version, Status status) {

  /// CLAIMED by a checkout that is under way.
  public enum Status {
    FREE,
    CLAIMED,
    SOLD
  }
}
