package io.holdfast.web.connection;

import io.holdfast.web.Problem;
import io.holdfast.web.ProblemException;
import io.holdfast.web.PublicUrl;
import io.micronaut.core.annotation.Order;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpMethod;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.annotation.RequestFilter;
import io.micronaut.http.annotation.ServerFilter;
import org.jspecify.annotations.Nullable;

/// Refuses what pages of other origins send, unless their origin is configured, and answers the
/// preflights of those that are. Programs other than browsers send no `Origin`. This keeps strange
/// pages out and proves nothing about a caller: that is what keys are for.
@ServerFilter(ServerFilter.MATCH_ALL_PATTERN)
final class CrossOriginFilter {
  /// After the trace; before pages and keys, since a preflight has no key.
  private static final int BEFORE_KEYS = -500;

  private static final String METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE";
  private static final String HEADERS =
      "Accept, Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match,"
          + " Last-Event-ID, Prefer, Traceparent, Waiting-Room-Pass";
  private static final String PREFLIGHT_VARIES =
      "Access-Control-Request-Method, Access-Control-Request-Headers";

  /// The longest that browsers keep the answer to a preflight.
  private static final String MAX_AGE_SECONDS = "7200";

  private final CrossOriginSettings settings;
  private final PublicUrl publicUrl;

  CrossOriginFilter(CrossOriginSettings settings, PublicUrl publicUrl) {
    this.settings = settings;
    this.publicUrl = publicUrl;
  }

  @RequestFilter
  @Order(BEFORE_KEYS)
  @Nullable HttpResponse<?> decide(HttpRequest<?> request) {
    var origin = request.getHeaders().get(HttpHeaders.ORIGIN);
    if (origin == null || isOwn(origin, request.getHeaders())) {
      return null; // passes the request on
    }
    if (!settings.origins().contains(origin)) {
      throw new ProblemException(
          Problem.refused(
              HttpStatus.FORBIDDEN,
              "origin-not-allowed",
              "Pages of this origin may not call the service; nothing was done. The setting"
                  + " HOLDFAST_CORS_ORIGINS lists the origins that may."));
    }
    return isPreflight(request) ? preflightResponse() : null;
  }

  /// Whether the page came from this service. A proxy may have changed the `Host`; a browser says
  /// then by `Sec-Fetch-Site`, which no script can set, what it sees itself.
  private boolean isOwn(String origin, HttpHeaders headers) {
    var host = headers.get(HttpHeaders.HOST);
    return (host != null && origin.endsWith("://" + host))
        || "same-origin".equals(headers.get("Sec-Fetch-Site"))
        || origin.equals(publicUrl.origin());
  }

  private static boolean isPreflight(HttpRequest<?> request) {
    return request.getMethod() == HttpMethod.OPTIONS
        && request.getHeaders().contains(HttpHeaders.ACCESS_CONTROL_REQUEST_METHOD);
  }

  /// `CrossOriginHeaders` adds the origin.
  private static HttpResponse<?> preflightResponse() {
    return HttpResponse.noContent()
        .header(HttpHeaders.ACCESS_CONTROL_ALLOW_METHODS, METHODS)
        .header(HttpHeaders.ACCESS_CONTROL_ALLOW_HEADERS, HEADERS)
        .header(HttpHeaders.ACCESS_CONTROL_MAX_AGE, MAX_AGE_SECONDS)
        .header(HttpHeaders.VARY, PREFLIGHT_VARIES);
  }
}
