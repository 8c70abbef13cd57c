package io.holdfast.web.metrics;

import io.holdfast.web.Problem;
import io.holdfast.web.ProblemException;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.rules.SecurityRule;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.swagger.v3.oas.annotations.Hidden;
import java.util.Set;
import java.util.stream.Collectors;

/// The metrics in the text format of Prometheus. Those that name a pool are shown only with the
/// configured key: the names of pools can tell what is sold, and to whom.
@Controller("/prometheus")
@Hidden
@Secured(SecurityRule.IS_ANONYMOUS)
@ExecuteOn(TaskExecutors.BLOCKING)
final class MetricsController {
  private static final String FORMAT = "text/plain; version=0.0.4; charset=utf-8";
  private static final String BEARER = "Bearer ";
  private static final String POOL = "pool";

  private final PrometheusMeterRegistry meters;
  private final MetricsSettings settings;

  MetricsController(PrometheusMeterRegistry meters, MetricsSettings settings) {
    this.meters = meters;
    this.settings = settings;
  }

  @Get(produces = FORMAT)
  String metrics(HttpHeaders headers) {
    return mayReadAll(headers) ? meters.scrape(FORMAT) : meters.scrape(FORMAT, namesWithoutPools());
  }

  /// A wrong key is refused, so that a scraper that is set up wrongly does not go unnoticed. Where
  /// no key is configured, none is looked at.
  private boolean mayReadAll(HttpHeaders headers) {
    var given = headers.get(HttpHeaders.AUTHORIZATION);
    if (given == null || settings.key().isEmpty()) {
      return false;
    }
    if (given.regionMatches(true, 0, BEARER, 0, BEARER.length())
        && settings.isKey(given.substring(BEARER.length()).strip())) {
      return true;
    }
    throw new ProblemException(
            Problem.refused(
                HttpStatus.UNAUTHORIZED,
                "unauthenticated",
                "This is not the key of the setting HOLDFAST_METRICS_KEY."))
        .with(HttpHeaders.WWW_AUTHENTICATE, "Bearer");
  }

  private Set<String> namesWithoutPools() {
    return meters.getPrometheusRegistry().scrape().stream()
        .filter(metric -> !hasPool(metric))
        .map(metric -> metric.getMetadata().getPrometheusName())
        .collect(Collectors.toSet());
  }

  private static boolean hasPool(MetricSnapshot metric) {
    return metric.getDataPoints().stream().anyMatch(point -> point.getLabels().contains(POOL));
  }
}
