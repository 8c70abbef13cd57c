package io.holdfast.runtime;

import io.micrometer.core.instrument.MeterRegistry;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/// All background tasks of this instance. They start one by one and stop together, the last one
/// first, before the connections that they use are closed.
@Singleton
public class PeriodicTasks implements AutoCloseable {
  /// For the current runs of all tasks together.
  static final Duration STOP_PATIENCE = Duration.ofSeconds(10);

  private final MeterRegistry meters;
  private final Set<String> names = new HashSet<>();
  private final List<PeriodicTask> started = new ArrayList<>();
  private boolean isStopping;

  public PeriodicTasks(MeterRegistry meters) {
    this.meters = meters;
  }

  /// A task whose runs are `period` apart, from the end of one to the start of the next. The first
  /// run starts one period after the start.
  ///
  /// @param name words joined by hyphens; no other task has it
  public PeriodicTask every(String name, Duration period, Runnable body) {
    return create(
        name,
        period,
        () -> {
          body.run();
          return period;
        });
  }

  /// A task whose first run starts at once. Each run returns the pause before the next one.
  ///
  /// @param name words joined by hyphens; no other task has it
  public PeriodicTask selfPaced(String name, Supplier<Duration> body) {
    return create(name, Duration.ZERO, body);
  }

  /// No further run starts, current runs are waited for, and tasks finish in reverse order of their
  /// start.
  @Override
  public void close() {
    var all = stopStarting();
    all.forEach(PeriodicTask::refuseRuns);
    var deadline = System.nanoTime() + STOP_PATIENCE.toNanos();
    all.reversed().forEach(task -> task.stop(deadline));
  }

  synchronized void start(PeriodicTask task) {
    if (!isStopping) {
      started.add(task);
      task.begin();
    }
  }

  synchronized List<PeriodicTask> started() {
    return List.copyOf(started);
  }

  private synchronized List<PeriodicTask> stopStarting() {
    isStopping = true;
    return List.copyOf(started);
  }

  private synchronized PeriodicTask create(String name, Duration period, Supplier<Duration> body) {
    if (!names.add(name)) {
      throw new IllegalArgumentException("there is a task " + name + " already");
    }
    return new PeriodicTask(this, new TaskReport(name, meters), period, body);
  }
}
