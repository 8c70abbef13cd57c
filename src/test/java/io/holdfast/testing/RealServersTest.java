package io.holdfast.testing;

import static io.holdfast.testing.ServerChoice.CONTAINER;
import static io.holdfast.testing.ServerChoice.EMBEDDED;
import static io.holdfast.testing.ServerChoice.GIVEN;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RealServers.class)
class RealServersTest {
  private static final Map<String, String> NOTHING = Map.of();

  @Test
  void a_given_address_is_used_with_or_without_docker() {
    var environment = Map.of("REDIS_URI", "redis://somewhere");

    assertThat(ServerChoice.of("REDIS_URI", environment, () -> true)).isEqualTo(GIVEN);
    assertThat(ServerChoice.of("REDIS_URI", environment, () -> false)).isEqualTo(GIVEN);
  }

  @Test
  void without_an_address_a_container_is_used_if_docker_is_available() {
    assertThat(ServerChoice.of("REDIS_URI", NOTHING, () -> true)).isEqualTo(CONTAINER);
    assertThat(ServerChoice.of("REDIS_URI", Map.of("REDIS_URI", ""), () -> true))
        .isEqualTo(CONTAINER);
  }

  @Test
  void without_an_address_and_without_docker_the_embedded_servers_are_used() {
    assertThat(ServerChoice.of("JDBC_URL", NOTHING, () -> false)).isEqualTo(EMBEDDED);
  }

  @Test
  void given_addresses_are_used_and_no_server_is_started(TestServers own) throws SQLException {
    own.redis(redis -> redis.set("witness", "here"));
    var environment = Map.of("REDIS_URI", own.redisUri(), "JDBC_URL", own.jdbcUrl());

    try (var shared = new SharedServers(environment, () -> true);
        var given = TestServers.open(shared)) {
      assertThat(shared.sources()).containsOnlyKeys(GIVEN);
      assertThat(given.<Long>redis(redis -> redis.dbsize())).isZero();
      assertThat(port(given)).isEqualTo(port(own));
    }
    assertThat(own.<String>redis(redis -> redis.get("witness"))).isEqualTo("here");
  }

  @Test
  void a_given_user_and_password_become_part_of_the_address() {
    var given =
        new GivenServers(
            Map.of(
                "JDBC_URL", "jdbc:postgresql://db/holdfast",
                "JDBC_USER", "ann",
                "JDBC_PASSWORD", "a&b"));

    assertThat(given.postgres()).isEqualTo("jdbc:postgresql://db/holdfast?user=ann&password=a%26b");
  }

  private static int port(TestServers servers) throws SQLException {
    try (var connection = servers.connection();
        var rows = connection.createStatement().executeQuery("SELECT inet_server_port()")) {
      rows.next();
      return rows.getInt(1);
    }
  }
}
