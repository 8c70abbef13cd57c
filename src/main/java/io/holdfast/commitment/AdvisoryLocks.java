package io.holdfast.commitment;

import io.holdfast.idempotency.Digest;
import java.nio.ByteBuffer;

/// The numbers under which Postgres keeps equal tokens and equal logical keys apart, also across
/// instances, until their transaction ends. Two names may share a number: then one of them waits
/// for nothing, which is all that happens.
final class AdvisoryLocks {
  static final String TRY =
      """
      SELECT place, pg_try_advisory_xact_lock(token) AND pg_try_advisory_xact_lock(key)
        FROM unnest(?::bigint[], ?::bigint[], ?::bigint[]) AS given (place, token, key);
      """;

  static final String WAIT =
      """
      SELECT place, pg_advisory_xact_lock(token) IS NOT NULL AND pg_advisory_xact_lock(key) IS NOT NULL
        FROM unnest(?::bigint[], ?::bigint[], ?::bigint[]) AS given (place, token, key);
      """;

  private AdvisoryLocks() {}

  static long ofToken(String pool, String caller, String token) {
    return number("token", pool, caller, token);
  }

  static long ofToken(ConfirmRequest request) {
    return ofToken(request.pool().name().value(), request.caller(), request.token().value());
  }

  static long ofKey(ConfirmRequest request) {
    return number("key", request.pool().name().value(), request.caller(), request.key());
  }

  private static long number(String kind, String pool, String caller, String name) {
    var hash = Digest.sha256(kind + "\n" + pool + "\n" + caller + "\n" + name);
    return ByteBuffer.wrap(hash).getLong();
  }
}
