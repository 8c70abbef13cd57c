package io.holdfast.access;

import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpRequest;
import org.jspecify.annotations.Nullable;

/// Reads `Authorization: Bearer <key>`.
final class BearerKey {
  private static final String SCHEME = "Bearer ";
  private static final int LENGTH_MAX = 1_024;

  private BearerKey() {}

  /// The hash of the key, or null if there is none that could be one.
  static @Nullable KeyHash in(HttpRequest<?> request) {
    var header = request.getHeaders().get(HttpHeaders.AUTHORIZATION);
    if (header == null
        || header.length() > LENGTH_MAX
        || !header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
      return null;
    }
    return KeyHash.of(header.substring(SCHEME.length()).strip());
  }
}
