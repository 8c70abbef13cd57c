package io.holdfast.access;

import io.holdfast.idempotency.Digest;
import java.nio.ByteBuffer;

/// The SHA-256 of an API key. The key itself is kept neither in memory nor in the table.
record ApiKeyHash(long a, long b, long c, long d) {

  static ApiKeyHash of(String key) {
    return of(Digest.sha256(key));
  }

  static ApiKeyHash of(byte[] hash) {
    var longs = ByteBuffer.wrap(hash).asLongBuffer();
    return new ApiKeyHash(longs.get(), longs.get(), longs.get(), longs.get());
  }

  /// Every part of a SHA-256 is distributed as evenly as the whole.
  @Override
  public int hashCode() {
    return (int) a;
  }

  byte[] bytes() {
    return ByteBuffer.allocate(32).putLong(a).putLong(b).putLong(c).putLong(d).array();
  }
}
