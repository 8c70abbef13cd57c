package io.holdfast.web;

import io.micronaut.core.annotation.Order;
import io.micronaut.core.propagation.MutablePropagatedContext;
import io.micronaut.core.propagation.ThreadPropagatedContextElement;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.annotation.RequestFilter;
import io.micronaut.http.annotation.ResponseFilter;
import io.micronaut.http.annotation.ServerFilter;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/// Gives every request a trace id of 32 hex digits, that of its `traceparent` header if it has one
/// (W3C Trace Context). The id is in all log lines of the request and in the response.
@ServerFilter(ServerFilter.MATCH_ALL_PATTERN)
final class TraceFilter {
  private static final String ATTRIBUTE = "holdfast.trace-id";
  private static final Pattern TRACEPARENT =
      Pattern.compile(
          "(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}");

  /// Before every filter that may refuse, so that refusals have a trace id as well.
  private static final int FIRST = -1_000;

  @RequestFilter
  @Order(FIRST)
  void setTraceId(HttpRequest<?> request, MutablePropagatedContext context) {
    var id = traceId(request.getHeaders().get("traceparent"));
    request.setAttribute(ATTRIBUTE, id);
    context.add(new TraceContext(id));
  }

  @ResponseFilter
  @Order(FIRST)
  void addTraceId(HttpRequest<?> request, MutableHttpResponse<?> response) {
    request.getAttribute(ATTRIBUTE, String.class).ifPresent(id -> response.header("Trace-Id", id));
  }

  /// A malformed header is replaced by a new id, as the standard says.
  private static String traceId(@Nullable String traceparent) {
    if (traceparent != null) {
      var matcher = TRACEPARENT.matcher(traceparent);
      if (matcher.matches()) {
        return matcher.group(1);
      }
    }
    var random = ThreadLocalRandom.current(); // ids have to differ, not to be secret
    var hex = HexFormat.of();
    return hex.toHexDigits(random.nextLong()) + hex.toHexDigits(random.nextLong());
  }

  /// Puts the trace id into the MDC on every thread that works on the request. It moves one entry;
  /// Micronaut's own element copies all of them several times per request.
  private record TraceContext(String id)
      implements ThreadPropagatedContextElement<@Nullable String> {
    private static final String ENTRY = "traceId";

    @Override
    public @Nullable String updateThreadContext() {
      var before = MDC.get(ENTRY);
      MDC.put(ENTRY, id);
      return before;
    }

    @Override
    public void restoreThreadContext(@Nullable String before) {
      if (before == null) {
        MDC.remove(ENTRY);
      } else {
        MDC.put(ENTRY, before);
      }
    }
  }
}
