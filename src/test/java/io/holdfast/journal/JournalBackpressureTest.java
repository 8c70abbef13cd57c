package io.holdfast.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.pool.PoolName;
import io.holdfast.postgres.TestSchema;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.testing.Await;
import io.holdfast.testing.FaultProxy;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RealServers.class)
class JournalBackpressureTest {
  private static final int MAX = 1_000;
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static int counter;

  private final TestDrainer links;
  private final TestPool pool;
  private final JournalBackpressure pressure;

  JournalBackpressureTest(TestServers servers) throws SQLException {
    links = new TestDrainer(servers.redisUri(), servers.jdbcUrl());
    pool = TestPool.create(servers, "pressure-" + counter++);
    pressure = pressure(links);
  }

  private static JournalBackpressure pressure(TestDrainer links) {
    var tasks = new PeriodicTasks(links.meters);
    var meters = new BackpressureMeters(links.meters);
    var pressure = new JournalBackpressure(links.scripts, tasks, meters, new JournalSettings(MAX));
    meters.show(pressure::vitals);
    return pressure;
  }

  @BeforeAll
  static void migrate(TestServers servers) {
    new TestSchema(servers).migrate();
  }

  @AfterEach
  void close() {
    pool.close();
    links.close();
  }

  @Test
  void callers_wait_from_half_of_the_limit_on_and_are_refused_at_all_of_it() {
    assertThat(pressure.delayFor(pool.name())).isZero();

    fillTo(MAX / 2);
    assertThat(pressure.delayFor(pool.name())).isZero();

    fillTo(MAX * 3 / 4);
    assertThat(pressure.delayFor(pool.name())).isEqualTo(Duration.ofMillis(125));
    assertThat(pressure.isFull(pool.name())).isFalse();

    fillTo(MAX);
    assertThat(pressure.delayFor(pool.name())).isEqualTo(Duration.ofMillis(250));
    assertThat(pressure.isFull(pool.name())).isTrue();
    assertThat(pressure.delayFor(new PoolName("another"))).isZero();

    links.drainer.drainAll(pool.name());
    ask();
    Await.until(PATIENCE, () -> !pressure.isFull(pool.name()));
    assertThat(pressure.delayFor(pool.name())).isZero();
  }

  @Test
  void what_waits_what_is_live_and_the_epoch_can_be_watched() {
    pressure.backlog(pool.name());
    pool.redis().zadd(pool.name().key("due"), 1, "4294967297");
    pool.redis().zadd(pool.name().key("due"), 9e15, "4294967298");
    pool.seed("OPEN", 7);
    fillTo(3);

    Await.until(PATIENCE, () -> gauge("journal.lag") == 3);
    assertThat(gauge("holds.active")).isEqualTo(2);
    assertThat(gauge("expiry.due.seconds")).isGreaterThan(1e9);
    assertThat(
            links
                .meters
                .get("holdfast.fence.epoch")
                .tag("pool", pool.name().value())
                .gauge()
                .value())
        .isEqualTo(7);
    Await.until(
        PATIENCE,
        () -> {
          pressure.ask();
          return gauge("journal.lag.seconds") > 0.05;
        });
  }

  @Test
  void a_redis_that_is_away_changes_nothing_of_what_was_known(TestServers servers) {
    try (var proxy = FaultProxy.before(servers.redisUri());
        var cut = new TestDrainer(proxy.insteadOf(servers.redisUri()), servers.jdbcUrl())) {
      var known = pressure(cut);
      known.backlog(pool.name());
      pool.place(1, 7);
      known.ask();
      Await.until(PATIENCE, () -> known.backlog(pool.name()) == 7);

      proxy.cut();
      known.ask();

      assertThat(known.backlog(pool.name())).isEqualTo(7);
    }
  }

  private void fillTo(int lines) {
    pool.place(1, lines - pool.waiting());
    ask();
    Await.until(PATIENCE, () -> pressure.backlog(pool.name()) == lines);
  }

  private void ask() {
    pressure.backlog(pool.name());
    pressure.ask();
  }

  private double gauge(String name) {
    return links.meters.get("holdfast." + name).gauge().value();
  }
}
