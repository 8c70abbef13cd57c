package io.holdfast.pool;

/// The counts of a pool in Redis.
///
/// @param version number of changes in this epoch
/// @param held number of held items
/// @param sold number of sold items
public record PoolCounts(long epoch, long version, long held, long sold) {
  private static final int VERSION_BITS = 32;

  /// Grows with every change, also from one epoch to the next.
  public long number() {
    return epoch << VERSION_BITS | version;
  }
}
