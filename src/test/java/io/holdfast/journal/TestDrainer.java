package io.holdfast.journal;

import io.holdfast.intent.Life;
import io.holdfast.intent.Scripts;
import io.holdfast.postgres.TestLink;
import io.holdfast.redis.RedisLink;
import io.holdfast.redis.RedisScripts;
import io.holdfast.redis.RedisSettings;
import io.holdfast.testing.Loops;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;

/// A drainer with links of its own, as another instance would have them.
final class TestDrainer implements AutoCloseable {
  final MeterRegistry meters = new SimpleMeterRegistry();
  final TestLink postgres;
  final RedisLink redis;
  final Scripts scripts;
  final Drainer drainer;

  TestDrainer(String redisUri, String jdbcUrl) {
    postgres = TestLink.to(jdbcUrl);
    redis =
        RedisLink.open(
            new RedisSettings(redisUri, Duration.ofSeconds(1), Duration.ofSeconds(2), 1_000),
            Loops.one());
    scripts = new RedisScripts(redis, new Life());
    drainer = new Drainer(new JournalScripts(scripts), postgres.journal(), meters);
  }

  double count(String what) {
    return meters.counter("holdfast.journal." + what).count();
  }

  @Override
  public void close() {
    redis.close();
    postgres.close();
  }
}
