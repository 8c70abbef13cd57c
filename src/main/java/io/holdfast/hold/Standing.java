package io.holdfast.hold;

import java.util.List;

/// How a pool stands in Redis.
///
/// @param version counts the changes of this epoch
/// @param held how many items; `sold`, how many of them are gone for good
record Standing(long epoch, long version, long held, long sold) {
  private static final int VERSION_BITS = 32;

  /// @param reply `{'COUNTS' or 'ITEMS', epoch, version, held, sold, …}`
  static Standing read(List<Object> reply) {
    return new Standing(number(reply, 1), number(reply, 2), number(reply, 3), number(reply, 4));
  }

  /// Grows with every change, also from one epoch to the next.
  long number() {
    return epoch << VERSION_BITS | version;
  }

  private static long number(List<Object> reply, int index) {
    return Long.parseLong((String) reply.get(index));
  }
}
