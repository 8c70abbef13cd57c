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

/// Requests are delayed and refused when too many journal lines wait in Redis.
@ExtendWith(RealServers.class)
class JournalBackpressureTest {
  private static final int MAX = 1_000;
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static int counter;

  private final TestDrainer links;
  private final TestPool pool;
  private final JournalBackpressure backpressure;

  JournalBackpressureTest(TestServers servers) throws SQLException {
    links = new TestDrainer(servers.redisUri(), servers.jdbcUrl());
    pool = TestPool.create(servers, "pressure-" + counter++);
    backpressure = create(links);
  }

  private static JournalBackpressure create(TestDrainer links) {
    var tasks = new PeriodicTasks(links.meters);
    var meters = new BackpressureMeters(links.meters);
    var backpressure =
        new JournalBackpressure(links.scripts, tasks, meters, new JournalSettings(MAX));
    meters.register(backpressure::stats);
    return backpressure;
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
  void requests_are_delayed_from_half_of_the_limit_on_and_refused_at_the_limit() {
    assertThat(backpressure.delayFor(pool.name())).isZero();

    fillTo(MAX / 2);
    assertThat(backpressure.delayFor(pool.name())).isZero();

    fillTo(MAX * 3 / 4);
    assertThat(backpressure.delayFor(pool.name())).isEqualTo(Duration.ofMillis(125));
    assertThat(backpressure.isFull(pool.name())).isFalse();

    fillTo(MAX);
    assertThat(backpressure.delayFor(pool.name())).isEqualTo(Duration.ofMillis(250));
    assertThat(backpressure.isFull(pool.name())).isTrue();
    assertThat(backpressure.delayFor(new PoolName("another"))).isZero();

    links.drainer.drainAll(pool.name());
    readStats();
    Await.until(PATIENCE, () -> !backpressure.isFull(pool.name()));
    assertThat(backpressure.delayFor(pool.name())).isZero();
  }

  @Test
  void metrics_show_the_lag_the_live_holds_and_the_epoch() {
    backpressure.backlog(pool.name());
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
          backpressure.readStats();
          return gauge("journal.lag.seconds") > 0.05;
        });
  }

  @Test
  void the_last_statistics_are_kept_while_redis_is_away(TestServers servers) {
    try (var proxy = FaultProxy.before(servers.redisUri());
        var cut = new TestDrainer(proxy.insteadOf(servers.redisUri()), servers.jdbcUrl())) {
      var known = create(cut);
      known.backlog(pool.name());
      pool.place(1, 7);
      known.readStats();
      Await.until(PATIENCE, () -> known.backlog(pool.name()) == 7);

      proxy.cut();
      known.readStats();

      assertThat(known.backlog(pool.name())).isEqualTo(7);
    }
  }

  private void fillTo(int lines) {
    pool.place(1, lines - pool.waiting());
    readStats();
    Await.until(PATIENCE, () -> backpressure.backlog(pool.name()) == lines);
  }

  private void readStats() {
    backpressure.backlog(pool.name());
    backpressure.readStats();
  }

  private double gauge(String name) {
    return links.meters.get("holdfast." + name).gauge().value();
  }
}
