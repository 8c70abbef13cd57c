package io.holdfast.runtime;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/// A task whose work arises only in this instance. It runs at once when work arrives after a quiet
/// time, then every `period` while there is work, and otherwise sleeps.
public final class OnDemandTask {
  /// Work ends this pause. It keeps the time of the last success recent.
  private static final Duration QUIET = Duration.ofMinutes(1);

  private final Duration period;
  private final BooleanSupplier body;
  private final PeriodicTask task;
  private final AtomicBoolean isQuiet = new AtomicBoolean();

  /// @param body returns whether there is or was work, so that it should run again after `period`
  public OnDemandTask(PeriodicTasks tasks, String name, Duration period, BooleanSupplier body) {
    this.period = period;
    this.body = body;
    this.task = tasks.selfPaced(name, this::turn);
  }

  public PeriodicTask task() {
    return task;
  }

  /// To be called after the work can be seen by the body. Cheap while the task is awake.
  public void workArrived() {
    if (isQuiet.get() && isQuiet.compareAndSet(true, false)) {
      task.wake();
    }
  }

  /// Work that arrives before the task is marked quiet does not wake it, so it looks again.
  private Duration turn() {
    if (body.getAsBoolean()) {
      return period;
    }
    isQuiet.set(true);
    return body.getAsBoolean() && isQuiet.compareAndSet(true, false) ? period : QUIET;
  }
}
