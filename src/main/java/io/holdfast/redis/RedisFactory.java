package io.holdfast.redis;

import io.holdfast.Settings;
import io.micronaut.context.annotation.Bean;
import io.micronaut.context.annotation.Factory;
import jakarta.inject.Singleton;

/// Opens the link when it is first asked for, which is before the door opens.
@Factory
final class RedisFactory {

  @Singleton
  RedisSettings redisSettings(Settings settings) {
    return RedisSettings.of(settings);
  }

  @Singleton
  @Bean(preDestroy = "close")
  RedisLink redisLink(RedisSettings settings) {
    return RedisLink.open(settings);
  }
}
