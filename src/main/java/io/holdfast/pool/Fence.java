package io.holdfast.pool;

/// Orders all holders of one pool. The epoch from Postgres is in the high bits and the sequence
/// from Redis in the low bits, so a Redis that lost its data cannot repeat a fence.
public record Fence(long value) implements Comparable<Fence> {
  private static final int SEQUENCE_BITS = 32;

  /// The largest number that every JSON parser reads without loss.
  public static final long MAX = (1L << 53) - 1;

  public Fence {
    if (value <= 0 || value > MAX) {
      throw new IllegalArgumentException("a fence lies between 1 and 2^53 - 1, was " + value);
    }
  }

  public static Fence parse(String decimal) {
    return new Fence(Long.parseLong(decimal));
  }

  public Epoch epoch() {
    return new Epoch(value >> SEQUENCE_BITS);
  }

  @Override
  public int compareTo(Fence other) {
    return Long.compare(value, other.value);
  }

  @Override
  public String toString() {
    return Long.toString(value);
  }
}
