package io.holdfast.pool;

import org.jspecify.annotations.Nullable;

/// A pool of items and its rules.
///
/// @param capacity how many units a pool of the kind STOCK has; null for the others
/// @param epoch when the pool was read; 1 for a new pool
public record Pool(
    PoolName name,
    PoolKind kind,
    PoolPolicy policy,
    int itemCount,
    @Nullable Long capacity,
    Epoch epoch) {

  /// A pool that is to be created.
  public static Pool fresh(
      PoolName name, PoolKind kind, PoolPolicy policy, int itemCount, @Nullable Long capacity) {
    return new Pool(name, kind, policy, itemCount, capacity, new Epoch(1));
  }
}
