package io.holdfast.web.connection;

import io.micronaut.context.BeanProvider;
import io.micronaut.context.event.BeanCreatedEvent;
import io.micronaut.context.event.BeanCreatedEventListener;
import io.micronaut.http.server.netty.NettyServerCustomizer;
import jakarta.inject.Singleton;

/// Registers `ConnectionLimits` with the HTTP server. Listeners are created before other beans, so
/// the limits are asked for only when the server is there.
@Singleton
final class ConnectionSetup implements BeanCreatedEventListener<NettyServerCustomizer.Registry> {
  private final BeanProvider<ConnectionLimits> limits;

  ConnectionSetup(BeanProvider<ConnectionLimits> limits) {
    this.limits = limits;
  }

  @Override
  public NettyServerCustomizer.Registry onCreated(
      BeanCreatedEvent<NettyServerCustomizer.Registry> event) {
    var registry = event.getBean();
    registry.register(limits.get());
    return registry;
  }
}
