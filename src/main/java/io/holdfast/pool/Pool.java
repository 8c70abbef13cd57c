package io.holdfast.pool;

import org.jspecify.annotations.Nullable;

/// What holds are taken from, and by which rules.
///
/// @param capacity how many units a pool of the kind STOCK has; null for the others
/// @param epoch the present life of Redis' memory; 1 for a pool that is new
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
