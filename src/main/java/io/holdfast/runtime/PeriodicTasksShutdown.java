package io.holdfast.runtime;

import io.micronaut.context.BeanContext;
import io.micronaut.context.event.ApplicationEventListener;
import io.micronaut.context.event.ShutdownEvent;
import jakarta.inject.Singleton;

/// Stops all tasks before any bean is destroyed, because they use the connections to Postgres and
/// Redis. Does not create `PeriodicTasks` for a command that has none.
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
