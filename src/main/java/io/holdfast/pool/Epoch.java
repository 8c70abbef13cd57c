package io.holdfast.pool;

/// The number of a pool's current data in Redis, given by Postgres. Each seeding opens a new epoch.
/// It is the high part of every fence. A fence stays below 2^53, the exact integers of Lua and
/// JavaScript.
public record Epoch(long value) {
  public static final long MAX = (1 << 21) - 1;

  public Epoch {
    if (value <= 0 || value > MAX) {
      throw new IllegalArgumentException("an epoch lies between 1 and 2^21 - 1, was " + value);
    }
  }

  @Override
  public String toString() {
    return Long.toString(value);
  }
}
