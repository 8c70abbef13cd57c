package io.holdfast.web;

import io.holdfast.runtime.HealthProbe;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.StartupTask;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micronaut.core.async.publisher.Publishers;
import io.micronaut.health.HealthStatus;
import io.micronaut.management.health.indicator.HealthIndicator;
import io.micronaut.management.health.indicator.HealthResult;
import io.micronaut.management.health.indicator.annotation.Readiness;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.reactivestreams.Publisher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The rule of readiness. Without Redis, sales of what is claimed go on, and without Postgres,
/// holds do: an instance that has lost one of them is DEGRADED and stays in service, one that has
/// lost both is DOWN. The servers are asked in the background, so a health check waits for nobody.
@Singleton
@Readiness
class ReadinessIndicator implements HealthIndicator, StartupTask {
  private static final Logger LOG = LoggerFactory.getLogger(ReadinessIndicator.class);

  /// Neither operational nor not: Micronaut takes two operational states for equal and would let
  /// the UP of any other indicator stand for both.
  private static final HealthStatus DEGRADED =
      new HealthStatus("DEGRADED", "one layer is away, the other one works", null, 500);

  private static final Duration PAUSE_UP = Duration.ofSeconds(2);
  private static final Duration PAUSE_DOWN = Duration.ofSeconds(1);

  private final List<HealthProbe> pulses;
  private final PeriodicTasks tasks;
  private final Map<String, String> states = new ConcurrentSkipListMap<>();

  ReadinessIndicator(List<HealthProbe> pulses, PeriodicTasks tasks, MeterRegistry meters) {
    this.pulses = pulses;
    this.tasks = tasks;
    for (var pulse : pulses) {
      Gauge.builder("holdfast.link.up", () -> isUp(pulse.name()) ? 1 : 0)
          .description("Whether the server answers: 1 or 0")
          .tag("link", pulse.name())
          .register(meters);
    }
  }

  @Override
  public void atStart() {
    for (var pulse : pulses) { // each by itself: one that hangs must not hold up the news of others
      tasks.selfPaced("health-" + pulse.name(), () -> feel(pulse)).startAfterRun();
    }
  }

  @Override
  public Publisher<HealthResult> getResult() {
    return Publishers.just(
        HealthResult.builder("layers").status(status()).details(Map.copyOf(states)).build());
  }

  /// Returns how long to wait before the server is asked again.
  private Duration feel(HealthProbe pulse) {
    var state = pulse.isAlive() ? HealthStatus.NAME_UP : HealthStatus.NAME_DOWN;
    var before = states.put(pulse.name(), state);
    if (before != null && !before.equals(state)) {
      LOG.warn("{} is {}, was {}; this instance is {}", pulse.name(), state, before, status());
    }
    return isUp(pulse.name()) ? PAUSE_UP : PAUSE_DOWN;
  }

  private HealthStatus status() {
    var up = pulses.stream().filter(pulse -> isUp(pulse.name())).count();
    if (up == pulses.size()) {
      return HealthStatus.UP;
    }
    return up == 0 ? HealthStatus.DOWN : DEGRADED;
  }

  private boolean isUp(String name) {
    return HealthStatus.NAME_UP.equals(states.get(name));
  }
}
