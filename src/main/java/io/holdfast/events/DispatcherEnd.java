package io.holdfast.events;

import io.micronaut.context.BeanContext;
import io.micronaut.context.event.ApplicationEventListener;
import io.micronaut.context.event.ShutdownEvent;
import jakarta.inject.Singleton;

/// Ends the dispatcher before any bean is destroyed: what was told has to be noted while Postgres
/// is there. Commands that tell nobody anything have no dispatcher, and get none for this.
@Singleton
final class DispatcherEnd implements ApplicationEventListener<ShutdownEvent> {
  private final BeanContext context;

  DispatcherEnd(BeanContext context) {
    this.context = context;
  }

  @Override
  public void onApplicationEvent(ShutdownEvent event) {
    context
        .getActiveBeanRegistrations(Dispatcher.class)
        .forEach(registration -> registration.bean().close());
  }
}
