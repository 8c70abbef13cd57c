package io.holdfast.runtime;

import java.time.Duration;
import java.util.List;

/// Stops tasks of a running service, for tests of other packages.
public final class TaskControl {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private TaskControl() {}

  /// Waits for the run under way; the task gives back its leases.
  public static void stop(PeriodicTasks tasks, String name) {
    var task =
        tasks.started().stream().filter(one -> one.name().equals(name)).findFirst().orElseThrow();
    task.stop(System.nanoTime() + PATIENCE.toNanos());
  }

  /// The names of all tasks that were started.
  public static List<String> names(PeriodicTasks tasks) {
    return tasks.started().stream().map(PeriodicTask::name).sorted().toList();
  }

  /// No further run of one task; what depends on the task goes on.
  public static void pause(PeriodicTasks tasks, String name) {
    tasks.started().stream()
        .filter(one -> one.name().equals(name))
        .findFirst()
        .orElseThrow()
        .refuseRuns();
  }

  /// As if the process were killed: no further run, and no lease is given back.
  public static void kill(PeriodicTasks tasks) {
    tasks.started().forEach(PeriodicTask::refuseRuns);
  }
}
