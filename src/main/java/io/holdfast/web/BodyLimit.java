package io.holdfast.web;

import io.micronaut.core.annotation.Order;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.ServerHttpRequest;
import io.micronaut.http.annotation.RequestFilter;
import io.micronaut.http.annotation.ServerFilter;
import io.micronaut.http.body.ByteBody.SplitBackpressureMode;
import io.micronaut.web.router.RouteAttributes;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/// Refuses bodies that are larger than their route allows. Micronaut has one limit for all routes,
/// which is that of the largest. The bytes of a body without Content-Length are counted while they
/// arrive, and no more than the limit is kept.
@ServerFilter(ServerFilter.MATCH_ALL_PATTERN)
final class BodyLimit {
  private static final int AFTER_AUTHENTICATION = 2_000;
  private static final int SMALL = 64 << 10;
  private static final int LARGE = 16 << 20;

  /// Null lets the request go on.
  @RequestFilter
  @Order(AFTER_AUTHENTICATION)
  @Nullable CompletionStage<@Nullable HttpRequest<?>> refuseTooLarge(HttpRequest<?> request) {
    var length = request.getContentLength();
    if (length > SMALL && length > most(request)) {
      throw tooLarge(most(request));
    }
    return length >= 0 || !isChunked(request) ? null : counted(request, most(request));
  }

  private static boolean isChunked(HttpRequest<?> request) {
    return request.getHeaders().contains(HttpHeaders.TRANSFER_ENCODING);
  }

  private static int most(HttpRequest<?> request) {
    return RouteAttributes.getRouteMatch(request)
        .filter(route -> route.getAnnotationMetadata().hasAnnotation(LargeBody.class))
        .map(_ -> LARGE)
        .orElse(SMALL);
  }

  private static CompletionStage<@Nullable HttpRequest<?>> counted(
      HttpRequest<?> request, int most) {
    var copy = ((ServerHttpRequest<?>) request).byteBody().split(SplitBackpressureMode.FASTEST);
    return Flux.from(copy.toByteArrayPublisher())
        .scan(0L, (length, more) -> length + more.length)
        .takeUntil(length -> length > most)
        .last()
        .<HttpRequest<?>>map(length -> refuseIfTooLarge(request, length, most))
        .toFuture();
  }

  private static HttpRequest<?> refuseIfTooLarge(HttpRequest<?> request, long length, int most) {
    if (length > most) {
      throw tooLarge(most);
    }
    return request;
  }

  private static ProblemException tooLarge(int most) {
    var detail = "The body is larger than " + most + " bytes; nothing was done.";
    return new ProblemException(
        Problem.refused(HttpStatus.REQUEST_ENTITY_TOO_LARGE, "too-large", detail));
  }
}
