package io.holdfast.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.activity.ActivePools;
import io.holdfast.activity.PoolIndex;
import io.holdfast.postgres.TestSchema;
import io.holdfast.runtime.InstanceId;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.runtime.TaskControl;
import io.holdfast.testing.Await;
import io.holdfast.testing.FaultProxy;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import java.sql.SQLException;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// One instance drains all journals, and another takes over when it stops.
@ExtendWith(RealServers.class)
class DrainLoopTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final TestServers servers;
  private TestPool pool;
  private static int counter;

  DrainLoopTest(TestServers servers) {
    this.servers = servers;
  }

  /// The drain loop of one instance.
  private final class Running implements AutoCloseable {
    final TestDrainer drainer;
    final PeriodicTasks tasks;

    Running(String redisUri, String jdbcUrl) {
      drainer = new TestDrainer(redisUri, jdbcUrl);
      tasks = new PeriodicTasks(drainer.meters);
      var settings = new JournalSettings(1_000);
      var index = new PoolIndex(drainer.scripts);
      new DrainLoop(
              drainer.drainer,
              drainer.postgres.leases(),
              new InstanceId(),
              new DrainIndex(index),
              new ActivePools(index, tasks),
              new JournalBackpressure(
                  drainer.scripts, tasks, new BackpressureMeters(drainer.meters), settings),
              _ -> {},
              new RequestRate(),
              settings,
              tasks)
          .atStart();
    }

    /// Ends the tasks as a killed process would, without releasing the lease.
    void kill() {
      TaskControl.kill(tasks);
    }

    double drained() {
      return drainer.count("drained");
    }

    @Override
    public void close() {
      tasks.close();
      drainer.close();
    }
  }

  @BeforeAll
  static void migrate(TestServers servers) {
    new TestSchema(servers).migrate();
  }

  @BeforeEach
  void aPool() throws SQLException {
    new TestSchema(servers).clear("lease");
    pool = TestPool.create(servers, "loop-" + counter++);
  }

  @AfterEach
  void close() {
    pool.close();
  }

  @Test
  void journals_of_several_pools_are_drained_including_a_new_one() throws SQLException {
    pool.place(1, 3);
    try (var _ = running()) {
      Await.until(PATIENCE, () -> pool.stored().size() == 3);

      try (var other = TestPool.create(servers, "loop-" + counter++)) {
        other.place(1, 2);
        pool.place(4, 1);
        Await.until(PATIENCE, () -> other.stored().size() == 2 && pool.stored().size() == 4);
      }
    }
  }

  @Test
  void a_pool_whose_drain_ended_with_an_error_is_drained_later() throws SQLException {
    pool.place(1, 3);
    try (var running = running()) {
      Await.until(PATIENCE, () -> pool.stored().size() == 3);

      running.drainer.failing.set(pool.name());
      Await.until(PATIENCE, () -> running.drainer.failing.get() == null);
      pool.place(4, 2);

      Await.until(PATIENCE, () -> pool.stored().size() == 5);
    }
  }

  @Test
  void one_of_two_instances_drains_and_the_other_takes_over_when_it_stops() {
    try (var second = takingOverFrom(running())) {
      pool.place(11, 5);
      Await.until(PATIENCE, () -> second.drained() == 5);
    }
  }

  private Running takingOverFrom(Running first) {
    try (first) {
      Await.until(PATIENCE, () -> isLeaseTaken());
      var second = running();
      pool.place(1, 10);
      Await.until(PATIENCE, () -> first.drained() == 10);
      assertThat(second.drained()).isZero();
      return second;
    }
  }

  @Test
  void an_instance_that_stops_releases_its_lease() throws SQLException {
    try (var _ = running()) {
      Await.until(PATIENCE, () -> isLeaseTaken());
    }

    assertThat(isLeaseTaken()).isFalse();
  }

  @Test
  void a_killed_instance_is_replaced_when_its_lease_has_ended() {
    try (var first = running()) {
      Await.until(PATIENCE, () -> isLeaseTaken());
      first.kill();
      pool.place(1, 5);

      try (var second = running()) {
        Await.until(PATIENCE, () -> second.drained() == 5);
      }
    }
  }

  @Test
  void lines_written_while_postgres_is_away_are_stored_when_it_is_back() throws SQLException {
    try (var proxy = FaultProxy.before(servers.jdbcUrl());
        var _ = new Running(servers.redisUri(), proxy.insteadOf(servers.jdbcUrl()))) {
      pool.place(1, 1);
      Await.until(PATIENCE, () -> pool.stored().size() == 1);

      proxy.cut();
      pool.place(2, 3);
      assertThat(pool.stored()).hasSize(1);
      proxy.heal();

      Await.until(PATIENCE, () -> pool.stored().size() == 4);
    }
  }

  @Test
  void lines_written_while_redis_is_unreachable_are_stored_when_it_is_back() throws SQLException {
    try (var proxy = FaultProxy.before(servers.redisUri());
        var _ = new Running(proxy.insteadOf(servers.redisUri()), servers.jdbcUrl())) {
      pool.place(1, 1);
      Await.until(PATIENCE, () -> pool.stored().size() == 1);

      proxy.cut();
      pool.place(2, 3);
      proxy.heal();

      Await.until(PATIENCE, () -> pool.stored().size() == 4);
    }
  }

  @Test
  void a_pool_that_is_not_seeded_does_not_delay_the_others() throws SQLException {
    try (var bare = TestPool.create(servers, "loop-" + counter++)) {
      bare.redis().del(bare.name().key("meta"));
      bare.place(1, 1);
      try (var _ = running()) {
        IntStream.range(1, 6).forEach(n -> pool.place(n, 1));
        Await.until(PATIENCE, () -> pool.stored().size() == 5);
        assertThat(bare.stored()).isEmpty();

        bare.seed("OPEN", 1);
        Await.until(PATIENCE, () -> bare.stored().size() == 1);
      }
    }
  }

  private Running running() {
    return new Running(servers.redisUri(), servers.jdbcUrl());
  }

  private boolean isLeaseTaken() throws SQLException {
    return !new TestSchema(servers).texts("SELECT owner FROM lease").isEmpty();
  }
}
