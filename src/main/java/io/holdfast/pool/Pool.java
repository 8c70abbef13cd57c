package io.holdfast.pool;

import org.jspecify.annotations.Nullable;

/// A pool of items and its rules.
///
/// @param capacity how many units a pool of the kind STOCK had when it was created; null for the
///   others
/// @param priceCents what a unit costs; null for pools without units
/// @param epoch when the pool was read; 1 for a new pool
public record Pool(
    PoolName name,
    PoolKind kind,
    PoolPolicy policy,
    int itemCount,
    @Nullable Long capacity,
    @Nullable Long priceCents,
    Epoch epoch) {

  /// A pool that is to be created.
  public static Pool fresh(
      PoolName name,
      PoolKind kind,
      PoolPolicy policy,
      int itemCount,
      @Nullable Long capacity,
      @Nullable Long priceCents) {
    return new Pool(name, kind, policy, itemCount, capacity, priceCents, new Epoch(1));
  }
}
