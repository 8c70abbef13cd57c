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

/// Adds the security headers of the static pages: they load nothing from other hosts and are not
/// framed. Refuses all methods but GET and HEAD. It has no path pattern, because with a single such
/// filter Micronaut selects and sorts all filters per request.
@ServerFilter(ServerFilter.MATCH_ALL_PATTERN)
final class StaticPageFilter {
  private static final String POLICY = "default-src 'self'; frame-ancestors 'none'";

  /// RapiDoc, which shows /docs, has inline styles.
  private static final String DOCS_POLICY =
      POLICY + "; style-src 'self' 'unsafe-inline'; img-src 'self' data:";

  @RequestFilter
  @Nullable HttpResponse<Problem> refuseChanges(HttpRequest<?> request) {
    var method = request.getMethod();
    if (method == HttpMethod.GET || method == HttpMethod.HEAD || !isPage(request.getPath())) {
      return null; // passes the request on
    }
    var detail = "Pages can only be read, with GET or HEAD.";
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
          .header("Content-Security-Policy", isDocs(path) ? DOCS_POLICY : POLICY)
          .header("X-Content-Type-Options", "nosniff");
    }
  }

  /// Whether the path has one segment or belongs to /docs or /problems. API routes have more
  /// segments.
  private static boolean isPage(String path) {
    return path.indexOf('/', 1) < 0 || isDocs(path) || path.startsWith(Problem.TYPES);
  }

  private static boolean isDocs(String path) {
    return path.equals("/docs") || path.startsWith("/docs/");
  }
}
