package io.holdfast.commitment;

import io.holdfast.pool.ItemId;

/// The state of an item in Postgres.
public record ItemState(ItemId item, long version, Status status) {

  /// CLAIMED by a running checkout.
  public enum Status {
    FREE,
    CLAIMED,
    SOLD
  }
}
