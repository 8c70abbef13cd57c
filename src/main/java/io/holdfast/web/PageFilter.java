package io.holdfast.web;

import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.annotation.ResponseFilter;
import io.micronaut.http.annotation.ServerFilter;

/// Browsers load nothing into our pages but what we serve ourselves, and nobody frames them. The
/// routes of the API go past this filter.
@ServerFilter({"/", "/docs", "/*.html"})
final class PageFilter {
  private static final String POLICY =
      "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:;"
          + " frame-ancestors 'none'";

  @ResponseFilter
  void restrict(MutableHttpResponse<?> response) {
    response.header("Content-Security-Policy", POLICY).header("X-Content-Type-Options", "nosniff");
  }
}
