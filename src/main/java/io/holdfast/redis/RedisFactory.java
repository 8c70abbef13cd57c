package io.holdfast.redis;

import io.micronaut.context.annotation.Bean;
import io.micronaut.context.annotation.Factory;
import jakarta.inject.Singleton;

@Factory
final class RedisFactory {

  @Singleton
  @Bean(preDestroy = "close")
  RedisLink redisLink(RedisSettings settings) {
    return RedisLink.open(settings);
  }
}
