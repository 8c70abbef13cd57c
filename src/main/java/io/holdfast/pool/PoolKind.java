package io.holdfast.pool;

/// What holds are taken of: numbered items, a quantity, values of a namespace, or bids on a lot.
public enum PoolKind {
  SEATS,
  STOCK,
  UNIQUE,
  AUCTION
}
