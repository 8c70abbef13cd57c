package io.holdfast.runtime;

import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What operators see of one task: a metric for every run, and a log line for every change between
/// working and failing.
final class TaskReport {
  private static final Logger LOG = LoggerFactory.getLogger(PeriodicTask.class);

  private final String task;
  private final Clock clock;
  private final Counter failures;
  private volatile long lastSuccessMs;
  private State state = State.WORKING;
  private long failuresInARow;

  private enum State {
    WORKING,
    DEPENDENCY_LOST,
    BROKEN
  }

  TaskReport(String task, MeterRegistry meters) {
    this.task = task;
    this.clock = meters.config().clock();
    this.lastSuccessMs = clock.wallTime();
    Gauge.builder("holdfast.task.last.success", this, report -> report.lastSuccessMs / 1_000.0)
        .description("Unix time of the last successful run, of the start before there is one")
        .baseUnit("seconds")
        .tag("task", task)
        .strongReference(true) // the gauge of a collected object would show NaN
        .register(meters);
    this.failures =
        Counter.builder("holdfast.task.failures")
            .description("Runs of a background task that failed")
            .tag("task", task)
            .register(meters);
  }

  String task() {
    return task;
  }

  void succeeded() {
    lastSuccessMs = clock.wallTime();
    if (state != State.WORKING) {
      LOG.info("Task {} works again, after {} failed runs", task, failuresInARow);
      state = State.WORKING;
    }
    failuresInARow = 0;
  }

  /// Logs the first failure, and the first unexpected one after failures for want of a server.
  void failed(Throwable failure) {
    failures.increment();
    failuresInARow++;
    var cause =
        failure instanceof CompletionException e && e.getCause() != null ? e.getCause() : failure;
    if (!(cause instanceof DependencyUnavailable)) {
      if (state != State.BROKEN) {
        state = State.BROKEN;
        LOG.error("Task {} failed unexpectedly; it is repeated until it works", task, failure);
      }
    } else if (state == State.WORKING && !DependencyUnavailable.isLogged(cause)) {
      state = State.DEPENDENCY_LOST;
      LOG.warn("Task {} failed; it is repeated until it works: {}", task, oneLine(cause));
    }
  }

  void stopFailed(Throwable failure) {
    if (failure instanceof DependencyUnavailable) {
      LOG.warn("Task {} could not finish; leases that it holds expire: {}", task, oneLine(failure));
    } else {
      LOG.error("Task {} could not finish; leases that it holds expire", task, failure);
    }
  }

  private static String oneLine(Throwable failure) {
    return String.join(
        " ", String.valueOf(failure.getMessage()).lines().map(String::strip).toList());
  }
}
