package io.holdfast.access;

import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpRequest;
import org.jspecify.annotations.Nullable;

/// Reads `Authorization: Bearer <key or JWT>`.
final class BearerToken {
  private static final String SCHEME = "Bearer ";
  private static final int LENGTH_MAX = 8_192;

  private BearerToken() {}

  /// What follows the scheme, or null if there is nothing that could be a key or a JWT.
  static @Nullable String in(HttpRequest<?> request) {
    var header = request.getHeaders().get(HttpHeaders.AUTHORIZATION);
    if (header == null
        || header.length() > LENGTH_MAX
        || !header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
      return null;
    }
    return header.substring(SCHEME.length()).strip();
  }
}
