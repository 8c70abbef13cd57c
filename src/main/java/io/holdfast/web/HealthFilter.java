package io.holdfast.web;

import io.micronaut.context.annotation.Replaces;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.annotation.ResponseFilter;
import io.micronaut.http.annotation.ServerFilter;
import io.micronaut.management.endpoint.health.filter.HealthResultFilter;
import io.micronaut.management.health.indicator.HealthResult;

/// An instance that is not to be sent requests says so by its status, too. Micronaut's own filter
/// for this has a pattern, and a single filter with a pattern has all of them chosen and sorted
/// anew for every request.
@ServerFilter(ServerFilter.MATCH_ALL_PATTERN)
@Replaces(HealthResultFilter.class)
final class HealthFilter {

  @ResponseFilter
  void tell(MutableHttpResponse<?> response) {
    if (response.body() instanceof HealthResult health
        && !health.getStatus().getOperational().orElse(true)) {
      response.status(HttpStatus.SERVICE_UNAVAILABLE);
    }
  }
}
