package io.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.runtime.HealthProbe.State;
import io.holdfast.testing.FaultProxy;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RealServers.class)
class ConnectionPoolTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  @Test
  void the_server_knows_when_to_give_up(TestServers servers) throws SQLException {
    try (var link = link(servers.jdbcUrl(), 1);
        var connection = link.connection()) {
      assertThat(show(connection, "statement_timeout")).isEqualTo("1s");
      assertThat(show(connection, "lock_timeout")).isEqualTo("300ms");
      assertThat(show(connection, "idle_in_transaction_session_timeout")).isEqualTo("2s");
      assertThat(show(connection, "application_name")).isEqualTo("holdfast");
    }
  }

  @Test
  void a_statement_that_takes_too_long_is_ended_by_the_server(TestServers servers)
      throws SQLException {
    try (var link = link(servers.jdbcUrl(), 1);
        var connection = link.connection();
        var statement = connection.createStatement()) {
      assertThatThrownBy(() -> statement.execute("SELECT pg_sleep(30)"))
          .hasMessageContaining("statement timeout");
    }
  }

  @Test
  void a_server_that_falls_silent_is_given_up_by_the_driver(TestServers servers)
      throws SQLException {
    try (var proxy = FaultProxy.before(servers.jdbcUrl());
        var link = link(proxy.insteadOf(servers.jdbcUrl()), 1)) {
      try (var connection = link.connection();
          var statement = connection.createStatement()) {
        proxy.halfOpen();

        assertThatThrownBy(() -> statement.execute("SELECT 1")).isInstanceOf(SQLException.class);
      }
      proxy.heal();
      assertThat(new PostgresHealthProbe(link, new DiskSpace()).check()).isEqualTo(State.UP);
    }
  }

  @Test
  void a_connection_for_migrations_is_given_up_too(TestServers servers) {
    try (var proxy = FaultProxy.before(servers.jdbcUrl())) {
      proxy.halfOpen();
      var source = ConnectionPool.unpooled(settings(proxy.insteadOf(servers.jdbcUrl()), 1), SECOND);

      assertThatThrownBy(source::getConnection).isInstanceOf(SQLException.class);
    }
  }

  @Test
  void a_caller_without_a_connection_is_refused_in_time_with_a_reason(TestServers servers)
      throws SQLException {
    try (var link = link(servers.jdbcUrl(), 1);
        var _ = link.connection()) {
      assertThatThrownBy(link::connection)
          .hasMessageContaining("no connection to Postgres became free within 1000 ms");
    }
  }

  /// Hikari forgets about a borrower whose connection broke; the queue before it must not.
  @Test
  void a_connection_that_broke_gives_its_place_back(TestServers servers) throws SQLException {
    try (var proxy = FaultProxy.before(servers.jdbcUrl());
        var link = link(proxy.insteadOf(servers.jdbcUrl()), 2)) {
      for (var time = 0; time < 5; time++) {
        try (var connection = link.connection();
            var statement = connection.createStatement()) {
          proxy.cut();
          assertThatThrownBy(() -> statement.execute("SELECT 1")).isInstanceOf(SQLException.class);
          proxy.heal();
        }
      }

      try (var first = link.connection();
          var second = link.connection()) {
        assertThat(first.isValid(1)).isTrue();
        assertThat(second.isValid(1)).isTrue();
      }
    }
  }

  @Test
  void a_connection_that_is_closed_twice_gives_its_place_back_once(TestServers servers)
      throws SQLException {
    try (var link = link(servers.jdbcUrl(), 1)) {
      var twice = link.connection();
      twice.close();
      twice.close();

      try (var _ = link.connection()) {
        assertThatThrownBy(link::connection).isInstanceOf(SQLException.class);
      }
    }
  }

  @Test
  void many_callers_at_few_connections_are_all_served(TestServers servers) throws Exception {
    var patient = settings(servers.jdbcUrl(), 2, Duration.ofSeconds(30));
    try (var link = new ConnectionPool(patient, new DiskSpace(), new SimpleMeterRegistry())) {
      var served = new AtomicInteger();
      var done = new CountDownLatch(64);
      IntStream.range(0, 64)
          .forEach(
              _ ->
                  Thread.startVirtualThread(
                      () -> {
                        try (var connection = link.connection()) {
                          connection.createStatement().execute("SELECT pg_sleep(0.002)");
                          served.incrementAndGet();
                        } catch (SQLException e) {
                          throw new IllegalStateException(e);
                        } finally {
                          done.countDown();
                        }
                      }));
      done.await();

      assertThat(served).hasValue(64);
    }
  }

  private static ConnectionPool link(String url, int poolSize) {
    return new ConnectionPool(settings(url, poolSize), new DiskSpace(), new SimpleMeterRegistry());
  }

  private static PostgresSettings settings(String url, int poolSize) {
    return settings(url, poolSize, SECOND);
  }

  private static PostgresSettings settings(String url, int poolSize, Duration acquireTimeout) {
    return new PostgresSettings(
        url,
        null,
        null,
        poolSize,
        acquireTimeout,
        SECOND,
        SECOND,
        Duration.ofMillis(300),
        SECOND.multipliedBy(2),
        SECOND.multipliedBy(2),
        SECOND);
  }

  private static String show(Connection connection, String setting) throws SQLException {
    try (var rows = connection.createStatement().executeQuery("SHOW " + setting)) {
      rows.next();
      return rows.getString(1);
    }
  }
}
