package io.holdfast.hold;

import static io.holdfast.testing.RetryingClient.PATIENCE;

import io.holdfast.app.Service;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.TaskControl;
import io.holdfast.testing.Api;
import io.holdfast.testing.Await;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Rows;
import io.holdfast.testing.TestServers;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// The index of pools with work lacks an idle pool. The holds of the pool end all the same.
@Tag("slow")
@ExtendWith(RealServers.class)
@Tag("cluster")
class LostIndexTest {
  /// Less than a lease that begins anew, and much less than a round of the walk over all pools.
  private static final Duration PROMPTLY = Duration.ofSeconds(8);

  private static TestServers servers;
  private static Api api;
  private static Rows rows;

  @BeforeAll
  static void open(TestServers given, Service service) {
    servers = given;
    api = Api.of(service);
    rows = Rows.of(servers);
  }

  /// An instance that is killed after a write has not entered it in the index.
  @Test
  void writes_that_no_instance_has_noted_are_found_by_the_walk() {
    try (var killed = RealServers.start(servers, Map.of())) {
      var pool = api.pool(2, "{\"leaseSeconds\":2}");
      Await.until(PATIENCE, () -> isIdle(pool));
      var tasks = killed.context().getBean(PeriodicTasks.class);
      TaskControl.stop(tasks, "pool-walk");
      TaskControl.stop(tasks, "pool-activity");
      rows.change("DELETE FROM lease WHERE name = 'pool-walk'"); // or the others wait for its end

      var hold = Api.of(killed).hold(pool, "ann", "A-1");

      Await.until(PATIENCE, () -> rows.stateOf(hold).equals("EXPIRED"));
    }
  }

  /// The walk is left to an instance that is not there: what is left is what each instance does.
  @Test
  void holds_of_an_unused_pool_are_restored_promptly_after_a_loss_of_data() {
    var pool = api.pool(1, "{\"leaseSeconds\":6}");
    var hold = api.hold(pool, "ann", "A-1");
    Await.until(PATIENCE, () -> rows.stateOf(hold).equals("HELD") && isDrained(pool));
    rows.change("UPDATE lease SET owner = 'nobody', until = 'infinity' WHERE name = 'pool-walk'");
    try {
      servers.redis(RedisCommands::flushdb);

      Await.until(PROMPTLY, () -> isInRedis(pool));
      Await.until(PATIENCE, () -> rows.stateOf(hold).equals("EXPIRED"));
    } finally {
      rows.change("DELETE FROM lease WHERE name = 'pool-walk'");
    }
  }

  private static boolean isIdle(String pool) {
    return isDrained(pool)
        && servers.redis(redis -> redis.zscore("{holdfast}:sweep", pool)) == null;
  }

  /// Otherwise the drain would find out that Redis has lost the pool.
  private static boolean isDrained(String pool) {
    return servers.redis(redis -> redis.zscore("{holdfast}:drain", pool)) == null;
  }

  private static boolean isInRedis(String pool) {
    return servers.redis(redis -> redis.exists("{p:%s}:meta".formatted(pool))) == 1;
  }
}
