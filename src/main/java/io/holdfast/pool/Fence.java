package io.holdfast.pool;

/// Orders all holders of one pool. The epoch comes from Postgres and sits in the high bits, the
/// sequence comes from Redis, so a Redis that lost its memory still cannot repeat a fence.
public record Fence(long value) implements Comparable<Fence> {
  private static final int SEQUENCE_BITS = 32;
  private static final long MOST = (1L << 53) - 1;

  public Fence {
    if (value <= 0 || value > MOST) {
      throw new IllegalArgumentException("a fence lies between 1 and 2^53 - 1, was " + value);
    }
  }

  /// @param sequence counted by Redis within the epoch
  public static Fence of(Epoch epoch, long sequence) {
    if (sequence < 0 || sequence >> SEQUENCE_BITS != 0) {
      throw new IllegalArgumentException("a sequence has 32 bits, was " + sequence);
    }
    return new Fence(epoch.value() << SEQUENCE_BITS | sequence);
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
