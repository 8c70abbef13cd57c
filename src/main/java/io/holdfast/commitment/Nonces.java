package io.holdfast.commitment;

import io.holdfast.idempotency.Digest;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// Leave to do one thing with one hold, once. Only the hashes of nonces are kept.
final class Nonces {
  private Nonces() {}

  /// One char a byte, as tokens are.
  static @Nullable String hashOf(Confirm request) {
    return request.nonce() == null ? null : text(hash(request.nonce()));
  }

  static byte[] hash(String nonce) {
    return Digest.sha256(text(nonce.getBytes(StandardCharsets.UTF_8)));
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }
}
