package io.holdfast.activity;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.activity.PoolIndex.Note;
import io.holdfast.pool.PoolName;
import io.holdfast.redis.RedisConnections;
import io.holdfast.redis.RedisScripts;
import io.holdfast.redis.RedisSettings;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.testing.Await;
import io.holdfast.testing.FaultProxy;
import io.holdfast.testing.Loops;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import io.holdfast.testing.Together;
import io.lettuce.core.api.sync.RedisCommands;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// The index keeps every pool with work while instances note, take and remove pools concurrently.
@ExtendWith(RealServers.class)
class ActivePoolsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Duration LEASE = Duration.ofSeconds(60);
  private static final PoolName HALL = new PoolName("hall");

  private final TestServers servers;
  private final RedisConnections redis;
  private final PoolIndex index;

  ActivePoolsTest(TestServers servers) {
    this.servers = servers;
    this.redis = linkTo(servers.redisUri());
    this.index = new PoolIndex(new RedisScripts(redis));
  }

  @BeforeEach
  void empty() {
    servers.redis(RedisCommands::flushdb);
  }

  @AfterEach
  void close() {
    redis.close();
  }

  @Test
  void each_pool_that_is_due_has_one_sweeper() {
    var pools = IntStream.range(0, 200).mapToObj(n -> new PoolName("p" + n)).toList();
    index.note(pools.stream().map(pool -> new Note(pool, 0L, false)).toList());

    var taken = Together.run(16, _ -> index.take(50, LEASE).pools());

    assertThat(taken.stream().flatMap(List::stream)).containsExactlyInAnyOrderElementsOf(pools);
  }

  @Test
  void a_pool_whose_sweeper_died_is_taken_again_when_its_lease_is_over() {
    index.note(List.of(new Note(HALL, 0L, false)));
    index.take(1, Duration.ofMillis(100));

    Await.until(PATIENCE, () -> index.take(1, LEASE).pools().equals(List.of(HALL)));
  }

  @Test
  void a_pool_that_is_settled_is_due_when_its_next_hold_is() {
    index.note(List.of(new Note(HALL, 0L, false)));
    var taken = index.take(1, LEASE);
    index.settle(taken.lease(), Map.of(HALL, "9000000000000"));

    var nothing = index.take(1, LEASE);

    assertThat(nothing.pools()).isEmpty();
    assertThat(nothing.sweeps()).isEqualTo(1);
    assertThat(nothing.untilNext()).isPresent();
  }

  /// The hold was placed after the sweep and before the pool was settled.
  @Test
  void a_pool_that_is_noted_while_it_is_swept_is_swept_again() {
    index.note(List.of(new Note(HALL, 0L, false)));
    var taken = index.take(1, LEASE);

    index.note(List.of(new Note(HALL, 9_000_000_000_000L, false)));
    index.settle(taken.lease(), Map.of(HALL, ""));

    assertThat(index.take(1, LEASE).pools()).containsExactly(HALL);
  }

  @Test
  void a_pool_that_is_noted_while_it_is_drained_stays_in_the_index() {
    index.note(List.of(new Note(HALL, null, true)));
    var read = index.drains(0, 9, Map.of());

    index.note(List.of(new Note(HALL, null, true)));
    var left = index.drains(0, 9, read);

    assertThat(left).containsOnlyKeys(HALL);
    assertThat(index.drains(0, 9, left)).isEmpty();
  }

  @Test
  void notes_made_without_redis_are_entered_when_it_returns() {
    try (var proxy = FaultProxy.before(servers.redisUri());
        var cut = linkTo(proxy.insteadOf(servers.redisUri()));
        var tasks = new PeriodicTasks(new SimpleMeterRegistry())) {
      var active = new ActivePools(new PoolIndex(new RedisScripts(cut)), tasks);
      active.atStart();

      proxy.cut();
      active.due(HALL, 5);
      active.wrote(HALL);
      proxy.heal();

      Await.until(PATIENCE, () -> index.drains(0, 9, Map.of()).containsKey(HALL));
      assertThat(index.take(1, LEASE).pools()).containsExactly(HALL);
    }
  }

  private static RedisConnections linkTo(String uri) {
    var second = Duration.ofSeconds(1);
    return RedisConnections.open(new RedisSettings(uri, second, second, 1_000), Loops.one());
  }
}
