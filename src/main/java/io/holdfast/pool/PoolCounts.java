package io.holdfast.pool;

/// The counts of a pool in Redis.
///
/// @param version number of changes in this epoch
/// @param held number of held items
/// @param sold number of sold items
public record PoolCounts(long epoch, long version, long held, long sold) {
  private static final int VERSION_BITS = 32;

  /// @param reply COUNTS or ITEMS, epoch, version, held, sold
  public static PoolCounts read(String reply) {
    var fields = reply.split("\t", -1);
    return new PoolCounts(
        number(fields, 1), number(fields, 2), number(fields, 3), number(fields, 4));
  }

  /// Grows with every change, also from one epoch to the next.
  public long number() {
    return epoch << VERSION_BITS | version;
  }

  private static long number(String[] fields, int index) {
    return Long.parseLong(fields[index]);
  }
}
