package io.holdfast.runtime;

import io.micrometer.core.instrument.MeterRegistry;
import io.micronaut.context.annotation.Replaces;
import io.micronaut.context.annotation.Requires;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/// The tasks of a service, each of which can be made to fail at its next run.
@Singleton
@Replaces(PeriodicTasks.class)
@Requires(property = FailingTasks.SETTING)
class FailingTasks extends PeriodicTasks {
  static final String SETTING = "test.failing-tasks";

  private final Map<String, Supplier<Throwable>> failures = new ConcurrentHashMap<>();

  FailingTasks(MeterRegistry meters) {
    super(meters);
  }

  /// @param failure what the next run ends with
  void failNextRun(PeriodicTask task, Supplier<Throwable> failure) {
    failures.put(task.name(), failure);
  }

  @Override
  public PeriodicTask every(String name, Duration period, Runnable body) {
    return super.every(
        name,
        period,
        () -> {
          failIfAsked(name);
          body.run();
        });
  }

  @Override
  public PeriodicTask selfPaced(String name, Supplier<Duration> body) {
    return super.selfPaced(
        name,
        () -> {
          failIfAsked(name);
          return body.get();
        });
  }

  private void failIfAsked(String name) {
    var failure = failures.remove(name);
    if (failure != null) {
      throwAny(failure.get());
    }
  }

  @SuppressWarnings("unchecked")
  private static <E extends Throwable> void throwAny(Throwable failure) throws E {
    throw (E) failure;
  }
}
