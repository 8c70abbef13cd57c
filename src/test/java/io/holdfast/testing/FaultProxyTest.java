package io.holdfast.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.TimeoutOptions;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RealServers.class)
class FaultProxyTest {

  @Test
  void a_healthy_connection_passes_everything(TestServers servers) throws SQLException {
    try (var proxy = FaultProxy.before(servers.jdbcUrl());
        var connection = DriverManager.getConnection(proxy.insteadOf(servers.jdbcUrl()));
        var rows = connection.createStatement().executeQuery("SELECT 42")) {
      rows.next();

      assertThat(rows.getInt(1)).isEqualTo(42);
    }
  }

  @Test
  void a_dropped_reply_is_lost_after_the_server_has_executed_the_command(TestServers servers)
      throws SQLException {
    execute(servers, "CREATE TABLE done (id int)");

    try (var proxy = FaultProxy.before(servers.jdbcUrl());
        var connection = DriverManager.getConnection(proxy.insteadOf(servers.jdbcUrl()))) {
      var statement = connection.prepareStatement("INSERT INTO done VALUES (1)");
      proxy.dropReply();
      assertThatThrownBy(statement::execute).isInstanceOf(SQLException.class);
    }

    try (var connection = servers.connection();
        var rows = connection.createStatement().executeQuery("SELECT count(*) FROM done")) {
      rows.next();
      assertThat(rows.getInt(1)).isEqualTo(1);
    }
  }

  @Test
  void a_server_that_is_cut_after_a_commit_has_answered_it_and_answers_nothing_more(
      TestServers servers) throws SQLException {
    execute(servers, "CREATE TABLE told (id int)");

    try (var proxy = FaultProxy.before(servers.jdbcUrl());
        var connection = DriverManager.getConnection(proxy.insteadOf(servers.jdbcUrl()))) {
      connection.setAutoCommit(false);
      proxy.cutAfterCommitOf("INSERT INTO told");
      connection.createStatement().execute("SELECT 1");
      connection.commit();
      connection.createStatement().execute("INSERT INTO told VALUES (1)");
      assertThat(proxy.isStruck()).isFalse();

      connection.commit();

      assertThat(proxy.isStruck()).isTrue();
      assertThatThrownBy(() -> connection.createStatement().execute("SELECT 1"))
          .isInstanceOf(SQLException.class);
    }
  }

  @Test
  void a_cut_connection_is_refused_and_a_healed_one_works_again(TestServers servers) {
    try (var proxy = FaultProxy.before(servers.redisUri());
        var client = client(proxy.insteadOf(servers.redisUri()))) {
      proxy.cut();
      assertThatThrownBy(() -> ping(client)).isInstanceOf(RedisException.class);

      proxy.heal();
      assertThat(ping(client)).isEqualTo("PONG");
    }
  }

  @Test
  void a_half_open_connection_neither_answers_nor_closes(TestServers servers) {
    try (var proxy = FaultProxy.before(servers.redisUri());
        var client = client(proxy.insteadOf(servers.redisUri()));
        var connection = client.connect()) {
      proxy.halfOpen();
      assertThatThrownBy(() -> connection.sync().ping()).hasMessageContaining("timed out");
      assertThat(connection.isOpen()).isTrue();
    }
  }

  @Test
  void a_delay_delays_the_reply(TestServers servers) {
    try (var proxy = FaultProxy.before(servers.redisUri());
        var client = client(proxy.insteadOf(servers.redisUri()));
        var connection = client.connect()) {
      proxy.delay(Duration.ofMillis(120));
      var before = System.nanoTime();
      connection.sync().ping();

      assertThat(Duration.ofNanos(System.nanoTime() - before))
          .isGreaterThan(Duration.ofMillis(119));
    }
  }

  private static RedisClient client(String uri) {
    var client = RedisClient.create(uri);
    client.setOptions(
        ClientOptions.builder()
            .timeoutOptions(TimeoutOptions.enabled(Duration.ofSeconds(2)))
            .build());
    return client;
  }

  private static String ping(RedisClient client) {
    try (var connection = client.connect()) {
      return connection.sync().ping();
    }
  }

  private static void execute(TestServers servers, String sql) throws SQLException {
    try (var connection = servers.connection()) {
      connection.createStatement().execute(sql);
    }
  }
}
