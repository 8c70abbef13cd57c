package io.holdfast.web.connection;

import io.holdfast.web.Problem;
import io.micronaut.http.HttpStatus;
import io.micronaut.serde.ObjectMapper;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/// Responses of the connection itself, written below filters and routes, without a trace id: the
/// last one on a connection that exceeded a limit or sent a faulty request, and the refusal of a
/// hold under overload.
@Singleton
final class DirectResponses {
  private static final String RETRY_AFTER_SECONDS = "10";

  private final byte[] slowHeader;
  private final byte[] slowBody;
  private final byte[] tooMany;
  private final byte[] overloaded;
  private final Map<RequestFault, byte[]> faults = new EnumMap<>(RequestFault.class);

  DirectResponses(ObjectMapper json) {
    slowHeader =
        bytes(
            json,
            Problem.timeout(
                true, "The header of the request did not arrive in time; nothing was done."));
    slowBody =
        bytes(
            json,
            Problem.timeout(
                false,
                "The body of the request did not arrive in time. Retry with the same"
                    + " Idempotency-Key."));
    tooMany =
        bytes(
            json,
            Problem.refused(
                HttpStatus.SERVICE_UNAVAILABLE,
                "too-many-connections",
                "This instance has reached its limit of connections. Retry later, or use another"
                    + " instance."));
    overloaded = bytes(json, Problem.overloaded());
    for (var fault : RequestFault.values()) {
      faults.put(fault, bytes(json, problem(fault)));
    }
  }

  FullHttpResponse slowHeader() {
    return closing(HttpResponseStatus.REQUEST_TIMEOUT, slowHeader);
  }

  FullHttpResponse slowBody() {
    return closing(HttpResponseStatus.REQUEST_TIMEOUT, slowBody);
  }

  FullHttpResponse tooManyConnections() {
    var response = closing(HttpResponseStatus.SERVICE_UNAVAILABLE, tooMany);
    response.headers().set(HttpHeaderNames.RETRY_AFTER, RETRY_AFTER_SECONDS);
    return response;
  }

  /// The connection stays open.
  FullHttpResponse overloaded(Duration retryAfter) {
    var response = problem(HttpResponseStatus.SERVICE_UNAVAILABLE, overloaded);
    response.headers().set(HttpHeaderNames.RETRY_AFTER, Problem.seconds(retryAfter));
    return response;
  }

  FullHttpResponse refused(RequestFault fault) {
    var status = HttpResponseStatus.valueOf(fault.status().getCode());
    return closing(status, Objects.requireNonNull(faults.get(fault)));
  }

  private static Problem problem(RequestFault fault) {
    return fault == RequestFault.CONTENT_ENCODING
        ? Problem.refused(fault.status(), "unsupported-media-type", fault.detail())
        : Problem.invalid(null, fault.detail());
  }

  private static FullHttpResponse closing(HttpResponseStatus status, byte[] body) {
    var response = problem(status, body);
    response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    return response;
  }

  private static FullHttpResponse problem(HttpResponseStatus status, byte[] body) {
    var response =
        new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, Unpooled.wrappedBuffer(body));
    response
        .headers()
        .set(HttpHeaderNames.CONTENT_TYPE, Problem.MEDIA_TYPE)
        .set(HttpHeaderNames.CONTENT_LENGTH, body.length);
    return response;
  }

  private static byte[] bytes(ObjectMapper json, Problem problem) {
    try {
      return json.writeValueAsBytes(problem);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
