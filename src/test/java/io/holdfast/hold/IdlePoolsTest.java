package io.holdfast.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.app.Service;
import io.holdfast.testing.Await;
import io.holdfast.testing.Instances;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.RedisServer;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// The cost of idle pools: three instances, thousands of pools.
@ExtendWith(RealServers.class)
class IdlePoolsTest {
  private static final int SOME_POOLS = 2_000;
  private static final int MANY_POOLS = 10_000;
  private static final Duration MEASURED = Duration.ofSeconds(5);
  private static final Duration MEASURED_LONG = Duration.ofSeconds(30);
  private static final Duration SETTLED = Duration.ofSeconds(60);

  /// The walk looks at 100 pools a second. Each instance looks four times a second for pools that
  /// are due, one of them as often for journals, and the reconciler compares 20 pools in two
  /// seconds.
  private static final int CALLS_A_SECOND_MAX = 150;

  /// Of a core, for each service and for Redis.
  private static final double SHARE_MAX = 0.02;

  private static final List<String> NAMES = List.of("one", "two", "three");
  private static final Pattern CALLS = Pattern.compile("cmdstat_evalsha:calls=(\\d+)");
  private static final Pattern MAIN_THREAD = Pattern.compile("_main_thread:([0-9.]+)");

  @TempDir Path folder;

  @Test
  @Requirement("AU-18")
  void thousands_of_idle_pools_keep_redis_as_little_busy_as_hundreds(TestServers servers) {
    create(servers, SOME_POOLS);
    onThreeInstances(
        servers,
        redis ->
            assertThat(rate(MEASURED, () -> sum(CALLS, redis.info("commandstats"))))
                .isBetween(1.0, (double) CALLS_A_SECOND_MAX));
  }

  @Test
  @Tag("proof")
  @Requirement("AU-18")
  void ten_thousand_idle_pools_take_hardly_any_processor_time(TestServers servers) {
    create(servers, MANY_POOLS);
    onThreeInstances(
        servers,
        redis -> {
          rate(SETTLED, () -> 0);
          var services = processorSeconds();
          var redisShare = rate(MEASURED_LONG, () -> sum(MAIN_THREAD, redis.info("cpu")));
          var share = (processorSeconds() - services) / MEASURED_LONG.toSeconds() / NAMES.size();

          System.out.printf("idle: %.4f of a core each, Redis %.4f%n", share, redisShare);
          assertThat(share).as("of a core, for each service").isLessThan(SHARE_MAX);
          assertThat(redisShare).as("of a core, for Redis").isLessThan(SHARE_MAX);
        });
  }

  private static void create(TestServers servers, int pools) {
    Rows.of(servers)
        .change(
            """
            WITH idle AS (
                INSERT INTO pool (pool, kind, epoch, item_count)
                SELECT 'idle-' || n, 'SEATS', 1, 1 FROM generate_series(1, ?) n RETURNING pool)
            INSERT INTO item (pool, item, ordinal) SELECT pool, 'A-1', 1 FROM idle
            """,
            pools);
  }

  private void onThreeInstances(TestServers servers, Consumer<RedisServer> measurement) {
    var instances = new ArrayList<Service>();
    try (var redis = RedisServer.forgetful(folder.resolve("redis"))) {
      for (var name : NAMES) {
        var own = Map.<String, Object>of("redis.uri", redis.uri());
        instances.add(Instances.start(servers, folder.resolve(name), own));
      }
      try {
        measurement.accept(redis);
      } finally {
        instances.forEach(Service::close);
      }
    }
  }

  /// How much a counter grows in a second.
  private static double rate(Duration time, DoubleSupplier counter) {
    var before = counter.getAsDouble();
    var since = System.nanoTime();
    Await.until(time.multipliedBy(4), () -> System.nanoTime() - since > time.toNanos());
    return (counter.getAsDouble() - before) * 1e9 / (System.nanoTime() - since);
  }

  private static double sum(Pattern pattern, String text) {
    return pattern
        .matcher(text)
        .results()
        .mapToDouble(found -> Double.parseDouble(found.group(1)))
        .sum();
  }

  /// Of this process, in which the three services run.
  private static double processorSeconds() {
    var system =
        ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class);
    return system.getProcessCpuTime() / 1e9;
  }
}
