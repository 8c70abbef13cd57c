package io.holdfast.redis;

import io.holdfast.runtime.HealthProbe;
import io.lettuce.core.RedisException;
import jakarta.inject.Singleton;
import java.util.concurrent.ExecutionException;

/// Whether Redis answers a PING within the command timeout.
@Singleton
final class RedisHealthProbe implements HealthProbe {
  private final RedisConnections redis;

  RedisHealthProbe(RedisConnections redis) {
    this.redis = redis;
  }

  @Override
  public String name() {
    return "redis";
  }

  @Override
  public State check() {
    try {
      return "PONG".equals(redis.commands().ping().get()) ? State.UP : State.DOWN;
    } catch (RedisException | ExecutionException e) {
      return State.DOWN;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return State.DOWN;
    }
  }
}
