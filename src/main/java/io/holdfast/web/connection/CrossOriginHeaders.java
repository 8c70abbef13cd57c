package io.holdfast.web.connection;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Lets pages of the configured origins read the responses to their requests. It is part of the
/// connection, so that every response has the headers: also a refusal that no filter sees.
final class CrossOriginHeaders extends ChannelDuplexHandler {
  private static final String NONE = "";

  /// What a script may read besides the status, the body and the type of the body.
  private static final String EXPOSED =
      "Allow, ETag, Idempotent-Replayed, Link, Location, Preference-Applied, RateLimit,"
          + " RateLimit-Policy, Retry-After, Trace-Id, WWW-Authenticate";

  private final Set<String> allowed;

  /// The origins of the requests whose responses have not begun. Responses come in their order.
  private final Queue<String> origins = new ArrayDeque<>();

  CrossOriginHeaders(CrossOriginSettings settings) {
    this.allowed = settings.origins();
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (message instanceof HttpRequest request) {
      var origin = request.headers().get(HttpHeaderNames.ORIGIN);
      origins.add(origin != null && allowed.contains(origin) ? origin : NONE);
    }
    context.fireChannelRead(message);
  }

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
    if (message instanceof HttpResponse response
        && response.status().codeClass() != HttpStatusClass.INFORMATIONAL) {
      describe(response.headers(), origins.poll());
    }
    context.write(message, promise);
  }

  /// @param origin null if the response is to no request, such as to a header that came too slowly
  private static void describe(HttpHeaders headers, @Nullable String origin) {
    headers.add(HttpHeaderNames.VARY, HttpHeaderNames.ORIGIN);
    if (origin != null && !origin.equals(NONE)) {
      headers
          .set(HttpHeaderNames.ACCESS_CONTROL_ALLOW_ORIGIN, origin)
          .set(HttpHeaderNames.ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
    }
  }
}
