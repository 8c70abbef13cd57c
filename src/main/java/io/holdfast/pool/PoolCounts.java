package io.holdfast.pool;

import org.jspecify.annotations.Nullable;

/// The counts of a pool in Redis.
///
/// @param version number of changes in this epoch
/// @param held number of held items or units
/// @param sold number of sold items or units
/// @param capacity of a pool of units; null for the others
/// @param blocked number of items that are out of sale
/// @param rules the version of the pool that Redis knows
public record PoolCounts(
    long epoch,
    long version,
    long held,
    long sold,
    @Nullable Long capacity,
    long blocked,
    long rules) {
  private static final int VERSION_BITS = 32;

  /// Of a pool without blocked items and without changes.
  public PoolCounts(long epoch, long version, long held, long sold, @Nullable Long capacity) {
    this(epoch, version, held, sold, capacity, 0, 0);
  }

  /// The items or units that are neither held nor sold nor blocked; null for a pool of values,
  /// which has no end.
  public @Nullable Long free(Pool pool) {
    if (pool.kind() == PoolKind.UNIQUE) {
      return null;
    }
    // a sale that Redis learns of before an earlier one counts units twice for a moment
    return Math.max(0, (capacity == null ? pool.itemCount() : capacity) - held - sold - blocked);
  }

  /// Grows with every change, also from one epoch to the next.
  public long number() {
    return epoch << VERSION_BITS | version;
  }
}
