package io.holdfast.hold;

import io.holdfast.hold.HoldOutcome.Away;
import io.holdfast.redis.RedisUnavailable;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.server.exceptions.ExceptionHandler;
import jakarta.inject.Singleton;

/// Answers 503 if Redis fails on a route that only reads.
@Singleton
final class FastLayerUnavailableHandler
    implements ExceptionHandler<RedisUnavailable, HttpResponse<?>> {
  @Override
  public HttpResponse<?> handle(
      @SuppressWarnings("rawtypes") HttpRequest request, RedisUnavailable lost) {
    return HoldResponses.away(new Away(lost.isDefinite(), "Redis gave no answer"));
  }
}
