package io.holdfast.web;

import io.micronaut.core.annotation.Order;
import io.micronaut.core.propagation.MutablePropagatedContext;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.annotation.RequestFilter;
import io.micronaut.http.annotation.ResponseFilter;
import io.micronaut.http.annotation.ServerFilter;

/// Gives every request a trace id, the caller's own if it sent one, and hands it to every log line
/// and to the answer.
@ServerFilter(ServerFilter.MATCH_ALL_PATTERN)
final class TraceFilter {
  private static final String ATTRIBUTE = "holdfast.trace-id";

  /// Before every filter that may refuse, so that refusals are told their trace as well.
  private static final int FIRST = -1_000;

  @RequestFilter
  @Order(FIRST)
  void remember(HttpRequest<?> request, MutablePropagatedContext context) {
    var id = TraceId.of(request.getHeaders().get("traceparent"));
    request.setAttribute(ATTRIBUTE, id.value());
    context.add(new TraceContext(id));
  }

  @ResponseFilter
  @Order(FIRST)
  void tell(HttpRequest<?> request, MutableHttpResponse<?> response) {
    request.getAttribute(ATTRIBUTE, String.class).ifPresent(id -> response.header("Trace-Id", id));
  }
}
