package io.holdfast.web;

import io.micronaut.http.HttpMethod;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.annotation.RequestFilter;
import io.micronaut.http.annotation.ResponseFilter;
import io.micronaut.http.annotation.ServerFilter;
import org.jspecify.annotations.Nullable;

/// Browsers load nothing into our pages but what we serve ourselves, nobody frames them, and they
/// can be read only. The routes of the API lie deeper and do not pass here.
@ServerFilter({"/", "/*", "/docs/**"})
final class PageFilter {
  private static final String POLICY =
      "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:;"
          + " frame-ancestors 'none'";

  @RequestFilter
  @Nullable HttpResponse<Problem> refuseChanges(HttpRequest<?> request) {
    if (request.getMethod() == HttpMethod.GET || request.getMethod() == HttpMethod.HEAD) {
      return null; // goes on
    }
    var detail = "A page can be read only, by GET.";
    return HttpResponse.<Problem>status(HttpStatus.METHOD_NOT_ALLOWED)
        .body(Problem.refused(HttpStatus.METHOD_NOT_ALLOWED, "method-not-allowed", detail))
        .contentType(Problem.MEDIA_TYPE)
        .header("Allow", "GET, HEAD");
  }

  @ResponseFilter
  void restrict(MutableHttpResponse<?> response) {
    response.header("Content-Security-Policy", POLICY).header("X-Content-Type-Options", "nosniff");
  }
}
