package io.holdfast.redis;

import io.lettuce.core.RedisException;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.concurrent.ExecutionException;

/// What time it is for Redis, whose clock decides how long holds last. For threads that may block.
@Singleton
public final class RedisClock {
  private static final long NANOS_A_MICRO = 1_000;

  private final RedisLink link;

  RedisClock(RedisLink link) {
    this.link = link;
  }

  public Instant now() {
    try {
      var time = link.commands().time().get();
      return Instant.ofEpochSecond(
          Long.parseLong(time.get(0)), Long.parseLong(time.get(1)) * NANOS_A_MICRO);
    } catch (RedisException | ExecutionException e) {
      throw RedisUnavailable.because(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw RedisUnavailable.because(e);
    }
  }
}
