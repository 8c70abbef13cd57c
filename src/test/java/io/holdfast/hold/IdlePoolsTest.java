package io.holdfast.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Service;
import io.holdfast.testing.Await;
import io.holdfast.testing.Instances;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.RedisServer;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// What pools cost that nobody uses: three instances, thousands of pools.
@ExtendWith(RealServers.class)
class IdlePoolsTest {
  private static final int POOLS = 2_000;
  private static final Duration MEASURED = Duration.ofSeconds(5);

  /// The walk looks at 100 pools a second. Each instance looks four times a second for pools that
  /// are due, one of them as often for journals, and the reconciler compares 20 pools in two
  /// seconds.
  private static final int CALLS_A_SECOND_MAX = 150;

  private static final Pattern CALLS = Pattern.compile("cmdstat_evalsha:calls=(\\d+)");

  @Test
  void thousands_of_idle_pools_keep_redis_as_little_busy_as_hundreds(
      TestServers servers, @TempDir Path folder) {
    var created =
        """
        WITH idle AS (
            INSERT INTO pool (pool, kind, epoch, item_count)
            SELECT 'idle-' || n, 'SEATS', 1, 1 FROM generate_series(1, ?) n RETURNING pool)
        INSERT INTO item (pool, item, ordinal) SELECT pool, 'A-1', 1 FROM idle
        """;
    Rows.of(servers).change(created, POOLS);
    var instances = new ArrayList<Service>();
    try (var redis = RedisServer.forgetful(folder.resolve("redis"))) {
      for (var name : List.of("one", "two", "three")) {
        var own = Map.<String, Object>of("redis.uri", redis.uri());
        instances.add(Instances.start(servers, folder.resolve(name), own));
      }
      try {
        var before = calls(redis);
        var since = System.nanoTime();
        Await.until(MEASURED.multipliedBy(4), () -> System.nanoTime() - since > MEASURED.toNanos());
        var seconds = (System.nanoTime() - since) / 1e9;

        assertThat((calls(redis) - before) / seconds).isBetween(1.0, (double) CALLS_A_SECOND_MAX);
      } finally {
        instances.forEach(Service::close);
      }
    }
  }

  private static long calls(RedisServer redis) {
    var found = CALLS.matcher(redis.info("commandstats"));
    return found.find() ? Long.parseLong(found.group(1)) : 0;
  }
}
