package io.holdfast.pool;

import org.jspecify.annotations.Nullable;

/// The counts of a pool in Redis.
///
/// @param version number of changes in this epoch
/// @param held number of held items or units
/// @param sold number of sold items or units
/// @param capacity of a pool of units; null for the others
public record PoolCounts(long epoch, long version, long held, long sold, @Nullable Long capacity) {
  private static final int VERSION_BITS = 32;

  /// The items or units that are neither held nor sold; null for a pool of values, which has no
  /// end.
  public @Nullable Long free(Pool pool) {
    if (pool.kind() == PoolKind.UNIQUE) {
      return null;
    }
    // a sale that Redis learns of before an earlier one counts units twice for a moment
    return Math.max(0, (capacity == null ? pool.itemCount() : capacity) - held - sold);
  }

  /// Grows with every change, also from one epoch to the next.
  public long number() {
    return epoch << VERSION_BITS | version;
  }
}
