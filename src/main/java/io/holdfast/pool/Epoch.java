package io.holdfast.pool;

/// One life of Redis' memory as one pool sees it, numbered by Postgres. It makes the high half of
/// every fence, so it has to fit there: a fence stays below 2^53, which Lua and JavaScript count up
/// to without losing a unit.
public record Epoch(long value) {
  public static final long MOST = (1 << 21) - 1;

  public Epoch {
    if (value <= 0 || value > MOST) {
      throw new IllegalArgumentException("an epoch lies between 1 and 2^21 - 1, was " + value);
    }
  }

  @Override
  public String toString() {
    return Long.toString(value);
  }
}
