package io.holdfast.commitment.sale;

import io.holdfast.commitment.ConfirmRequest;
import io.holdfast.idempotency.Digest;
import java.nio.ByteBuffer;

/// Numbers of the advisory locks that serialise equal tokens and equal logical keys, also across
/// instances, until their transaction ends. A hash collision only causes a needless wait.
public final class AdvisoryLocks {
  private AdvisoryLocks() {}

  public static long ofToken(String pool, String caller, String token) {
    return number("token", pool, caller, token);
  }

  static long ofToken(ConfirmRequest request) {
    return ofToken(request.pool().name().value(), request.caller(), request.token().value());
  }

  static long ofKey(ConfirmRequest request) {
    return number("key", request.pool().name().value(), request.caller(), request.key());
  }

  /// Serialises the sales to a requester in a pool with a limit of items per requester.
  static long ofRequester(ConfirmRequest request) {
    return number(
        "requester", request.pool().name().value(), request.caller(), request.requester());
  }

  private static long number(String kind, String pool, String caller, String name) {
    var hash = Digest.sha256(kind + "\n" + pool + "\n" + caller + "\n" + name);
    return ByteBuffer.wrap(hash).getLong();
  }
}
