package io.holdfast.web;

import io.micronaut.context.annotation.Replaces;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.annotation.ResponseFilter;
import io.micronaut.http.annotation.ServerFilter;
import io.micronaut.management.endpoint.health.filter.HealthResultFilter;
import io.micronaut.management.health.indicator.HealthResult;

/// Answers 503 if a health check is not UP. It replaces Micronaut's own filter, because that one
/// has a path pattern: with a single such filter, Micronaut selects and sorts all filters per
/// request.
@ServerFilter(ServerFilter.MATCH_ALL_PATTERN)
@Replaces(HealthResultFilter.class)
final class HealthFilter {

  @ResponseFilter
  void setStatus(MutableHttpResponse<?> response) {
    if (response.body() instanceof HealthResult health
        && !health.getStatus().getOperational().orElse(true)) {
      response.status(HttpStatus.SERVICE_UNAVAILABLE);
    }
  }
}
