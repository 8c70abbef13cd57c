package io.holdfast.pool;

/// One life of Redis' memory as one pool sees it, numbered by Postgres. It makes the high half of
/// every fence, so it has to fit there.
public record Epoch(long value) {
  private static final long MOST = Integer.MAX_VALUE;

  public Epoch {
    if (value <= 0 || value > MOST) {
      throw new IllegalArgumentException("an epoch lies between 1 and 2^31 - 1, was " + value);
    }
  }

  @Override
  public String toString() {
    return Long.toString(value);
  }
}
