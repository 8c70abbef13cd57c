package io.holdfast.runtime;

import io.micronaut.context.BeanContext;
import io.micronaut.context.event.ApplicationEventListener;
import io.micronaut.context.event.ShutdownEvent;
import jakarta.inject.Singleton;

/// Stops all tasks before any bean is destroyed, whoever closes the application: they use the
/// connections to Postgres and Redis to the end. A command without tasks gets none for this.
@Singleton
final class PeriodicTasksShutdown implements ApplicationEventListener<ShutdownEvent> {
  private final BeanContext context;

  PeriodicTasksShutdown(BeanContext context) {
    this.context = context;
  }

  @Override
  public void onApplicationEvent(ShutdownEvent event) {
    context
        .getActiveBeanRegistrations(PeriodicTasks.class)
        .forEach(registration -> registration.bean().close());
  }
}
