package io.holdfast.pool;

/// What holds are taken of: numbered items, a quantity, values of a namespace, or bids on a lot.
public enum PoolKind {
  SEATS,
  STOCK,
  UNIQUE,
  AUCTION;

  /// Whether a unit or a value becomes an item only when it is claimed or sold. Other pools have
  /// their items from the beginning.
  public boolean makesItems() {
    return this == STOCK || this == UNIQUE;
  }
}
