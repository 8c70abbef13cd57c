package io.holdfast.redis;

import io.holdfast.config.Settings;
import io.micronaut.context.annotation.Bean;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Factory;
import io.micronaut.http.netty.channel.EventLoopGroupRegistry;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.stream.StreamSupport;

/// Opens the connections with the first use of the bean, which is before the HTTP port opens.
@Factory
final class RedisFactory {

  @Context
  RedisSettings redisSettings(Settings settings) {
    return RedisSettings.of(settings);
  }

  @Context
  BatchSettings batchSettings(Settings settings) {
    return BatchSettings.of(settings);
  }

  @Singleton
  @Bean(preDestroy = "close")
  RedisConnections redisConnections(RedisSettings settings, EventLoopGroupRegistry registry) {
    return RedisConnections.open(settings, loops(registry.getDefaultEventLoopGroup()));
  }

  private static List<EventLoop> loops(EventLoopGroup group) {
    return StreamSupport.stream(group.spliterator(), false).map(EventLoop.class::cast).toList();
  }
}
