package io.holdfast.journal;

import io.holdfast.pool.PoolName;
import io.holdfast.postgres.TestLink;
import io.holdfast.redis.RedisConnections;
import io.holdfast.redis.RedisScripts;
import io.holdfast.redis.RedisSettings;
import io.holdfast.redis.Script;
import io.holdfast.testing.Loops;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// A drainer with its own connections, as another instance has them.
final class TestDrainer implements AutoCloseable {
  final MeterRegistry meters = new SimpleMeterRegistry();
  final TestLink postgres;
  final RedisConnections redis;
  final RedisScripts scripts;
  final JournalDrainer drainer;

  /// The pool whose next read fails with an error.
  final AtomicReference<@Nullable PoolName> failing = new AtomicReference<>();

  /// Runs before each read of a journal.
  final AtomicReference<Runnable> beforeRead = new AtomicReference<>(() -> {});

  TestDrainer(String redisUri, String jdbcUrl) {
    postgres = TestLink.to(jdbcUrl);
    redis =
        RedisConnections.open(
            new RedisSettings(redisUri, Duration.ofSeconds(1), Duration.ofSeconds(2), 1_000),
            Loops.one());
    scripts = new FailingScripts(redis, failing, beforeRead);
    drainer = new JournalDrainer(new JournalScripts(scripts), postgres.journal(), meters);
  }

  private static final class FailingScripts extends RedisScripts {
    private final AtomicReference<@Nullable PoolName> failing;

    private final AtomicReference<Runnable> beforeRead;

    FailingScripts(
        RedisConnections link,
        AtomicReference<@Nullable PoolName> failing,
        AtomicReference<Runnable> beforeRead) {
      super(link);
      this.failing = failing;
      this.beforeRead = beforeRead;
    }

    @Override
    public CompletionStage<List<String>> call(Script script, String[] keys, String... others) {
      var pool = failing.get();
      if (pool != null
          && script.name().equals("journal/read")
          && keys[0].equals(pool.key("meta"))
          && failing.compareAndSet(pool, null)) {
        throw new StackOverflowError("in a test");
      }
      if (script.name().equals("journal/read")) {
        beforeRead.get().run();
      }
      return super.call(script, keys, others);
    }
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
