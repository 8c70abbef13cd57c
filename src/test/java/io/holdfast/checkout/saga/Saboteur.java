package io.holdfast.checkout.saga;

import io.holdfast.faults.Trap;
import io.micronaut.context.annotation.Requires;
import io.micronaut.context.annotation.Value;
import io.micronaut.context.event.BeanCreatedEvent;
import io.micronaut.context.event.BeanCreatedEventListener;
import jakarta.inject.Singleton;
import java.nio.file.Path;

/// Wraps every step of the service, for tests that kill at an exact moment.
@Singleton
@Requires(property = Trap.SETTING)
final class Saboteur implements BeanCreatedEventListener<SagaRegistry> {
  private final Trap trap;

  Saboteur(@Value("${" + Trap.SETTING + "}") String file) {
    this.trap = new Trap(Path.of(file));
  }

  @Override
  public SagaRegistry onCreated(BeanCreatedEvent<SagaRegistry> event) {
    return new SagaRegistry(event.getBean().byName().values().stream().map(this::watched).toList());
  }

  private Saga watched(Saga saga) {
    return new Saga(
        saga.name(), saga.steps().stream().<Step>map(step -> new WatchedStep(step, trap)).toList());
  }
}
