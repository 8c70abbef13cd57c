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
/// can be read only. The routes of the API lie deeper and pass untouched: one filter with a pattern
/// of its own would have Micronaut choose and sort all filters anew for each request.
@ServerFilter(ServerFilter.MATCH_ALL_PATTERN)
final class StaticPageFilter {
  private static final String POLICY = "default-src 'self'; frame-ancestors 'none'";

  /// What draws the documents brings its styles along in elements of its own.
  private static final String POLICY_OF_DOCUMENTS =
      POLICY + "; style-src 'self' 'unsafe-inline'; img-src 'self' data:";

  @RequestFilter
  @Nullable HttpResponse<Problem> refuseChanges(HttpRequest<?> request) {
    var method = request.getMethod();
    if (method == HttpMethod.GET || method == HttpMethod.HEAD || !isPage(request.getPath())) {
      return null; // goes on
    }
    var detail = "A page can be read only, by GET.";
    return HttpResponse.<Problem>status(HttpStatus.METHOD_NOT_ALLOWED)
        .body(Problem.refused(HttpStatus.METHOD_NOT_ALLOWED, "method-not-allowed", detail))
        .contentType(Problem.MEDIA_TYPE)
        .header("Allow", "GET, HEAD");
  }

  @ResponseFilter
  void restrict(HttpRequest<?> request, MutableHttpResponse<?> response) {
    var path = request.getPath();
    if (isPage(path)) {
      response
          .header("Content-Security-Policy", isDocument(path) ? POLICY_OF_DOCUMENTS : POLICY)
          .header("X-Content-Type-Options", "nosniff");
    }
  }

  /// Whether it lies at the top, or under the documents.
  private static boolean isPage(String path) {
    return path.indexOf('/', 1) < 0 || isDocument(path);
  }

  private static boolean isDocument(String path) {
    return path.equals("/docs") || path.startsWith("/docs/");
  }
}
