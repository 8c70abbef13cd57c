package io.holdfast.access;

import io.holdfast.idempotency.Digest;
import java.nio.ByteBuffer;

/// The SHA-256 of a key, which is all that is kept of it, in memory as in the table.
record ApiKeyHash(long a, long b, long c, long d) {

  static ApiKeyHash of(String key) {
    return of(Digest.sha256(key));
  }

  static ApiKeyHash of(byte[] hash) {
    var longs = ByteBuffer.wrap(hash).asLongBuffer();
    return new ApiKeyHash(longs.get(), longs.get(), longs.get(), longs.get());
  }

  /// Any part of a SHA-256 is spread as well as the whole.
  @Override
  public int hashCode() {
    return (int) a;
  }

  byte[] bytes() {
    return ByteBuffer.allocate(32).putLong(a).putLong(b).putLong(c).putLong(d).array();
  }
}
