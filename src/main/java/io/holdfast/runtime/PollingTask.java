package io.holdfast.runtime;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/// A task that looks for work that any instance may have left. The pause doubles with each look
/// that finds nothing. It is the shortest one after a look that found something, and while this
/// instance expects work.
public final class PollingTask {
  private final Duration shortest;
  private final Duration longest;
  private final PeriodicTask task;
  private Duration pause;
  private long expectedUntil = System.nanoTime();

  /// @param look returns whether it found something
  public PollingTask(
      PeriodicTasks tasks, String name, Duration shortest, Duration longest, BooleanSupplier look) {
    this.shortest = shortest;
    this.longest = longest;
    this.pause = shortest;
    this.task = tasks.selfPaced(name, () -> next(look.getAsBoolean()));
  }

  public PeriodicTask task() {
    return task;
  }

  /// There will be work within this time. Ends a pause that has become longer.
  public synchronized void expect(Duration within) {
    var until = System.nanoTime() + within.toNanos();
    if (until - expectedUntil > 0) {
      expectedUntil = until;
    }
    if (pause.compareTo(shortest) > 0) {
      pause = shortest;
      task.wake();
    }
  }

  private synchronized Duration next(boolean hasFound) {
    var doubled = pause.multipliedBy(2);
    if (hasFound || expectedUntil - System.nanoTime() > 0) {
      pause = shortest;
    } else {
      pause = doubled.compareTo(longest) < 0 ? doubled : longest;
    }
    return pause;
  }
}
