package io.holdfast.web;

import io.holdfast.runtime.HealthProbe;
import io.holdfast.runtime.HealthProbe.State;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.reactivestreams.Publisher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The readiness of this instance. Without Redis it still sells claimed items, and without Postgres
/// it still places holds. So it is DEGRADED and stays in service if one of them is down, and DOWN
/// if both are. The servers are probed in the background, so a health check does not wait for them.
@Singleton
@Readiness
class ReadinessIndicator implements HealthIndicator, StartupTask {
  private static final Logger LOG = LoggerFactory.getLogger(ReadinessIndicator.class);

  /// Operational is null: Micronaut takes two operational states for equal, and the UP of any other
  /// indicator would hide this one.
  private static final HealthStatus DEGRADED =
      new HealthStatus(
          "DEGRADED", "one of Redis and Postgres is down, or its disk is full", null, 500);

  private static final Duration PAUSE_UP = Duration.ofSeconds(2);
  private static final Duration PAUSE_DOWN = Duration.ofSeconds(1);

  private final List<HealthProbe> probes;
  private final PeriodicTasks tasks;
  private final Map<String, State> states = new ConcurrentSkipListMap<>();
  private final Map<String, StateLog> logs = new HashMap<>();

  ReadinessIndicator(List<HealthProbe> probes, PeriodicTasks tasks, MeterRegistry meters) {
    this.probes = probes;
    this.tasks = tasks;
    for (var probe : probes) {
      logs.put(probe.name(), new StateLog(System::nanoTime));
      Gauge.builder("holdfast.link.up", () -> isUp(probe.name()) ? 1 : 0)
          .description("Whether the server answers: 1 or 0")
          .tag("link", probe.name())
          .register(meters);
    }
  }

  @Override
  public void atStart() {
    for (var probe : probes) { // one task each: a probe that hangs must not delay the others
      tasks.selfPaced("health-" + probe.name(), () -> probe(probe)).startAfterRun();
    }
  }

  @Override
  public Publisher<HealthResult> getResult() {
    return Publishers.just(
        HealthResult.builder("layers").status(status()).details(details()).build());
  }

  private Map<String, String> details() {
    var details = new TreeMap<String, String>();
    states.forEach((name, state) -> details.put(name, state.name()));
    return details;
  }

  /// Returns the pause before the next probe.
  private Duration probe(HealthProbe probe) {
    var state = probe.check();
    states.put(probe.name(), state);
    var before = logs.get(probe.name()).change(state);
    if (before != null && state != State.DISK_FULL) {
      LOG.warn("{} is {} (was {}); this instance is {}", probe.name(), state, before, status());
    }
    return isUp(probe.name()) ? PAUSE_UP : PAUSE_DOWN;
  }

  private HealthStatus status() {
    var up = probes.stream().filter(probe -> isUp(probe.name())).count();
    if (up == probes.size()) {
      return HealthStatus.UP;
    }
    return up == 0 ? HealthStatus.DOWN : DEGRADED;
  }

  private boolean isUp(String name) {
    return states.get(name) == State.UP;
  }
}
