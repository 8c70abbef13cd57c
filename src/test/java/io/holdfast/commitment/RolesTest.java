package io.holdfast.commitment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.postgres.TestLink;
import io.holdfast.postgres.TestSchema;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import java.sql.SQLException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The rights of the database roles.
@ExtendWith(RealServers.class)
class RolesTest {
  private final TestServers servers;

  RolesTest(TestServers servers) {
    this.servers = servers;
  }

  @BeforeAll
  static void migrate(TestServers servers) {
    new TestSchema(servers).migrate();
  }

  @Test
  void the_service_runs_as_a_role_that_owns_no_table() {
    try (var link = TestLink.to(servers.jdbcUrl())) {
      var user =
          link.transactions()
              .read(
                  connection -> {
                    try (var rows =
                        connection.createStatement().executeQuery("SELECT current_user")) {
                      rows.next();
                      return rows.getString(1);
                    }
                  });

      assertThat(user).isEqualTo("holdfast_service");
    }
  }

  @Requirement({"RS-SF-e", "RS-UF-3"})
  @ParameterizedTest
  @ValueSource(
      strings = {
        "CREATE TABLE mine (id int)",
        "ALTER TABLE consumed_request DISABLE TRIGGER ALL",
        "DROP TABLE outbox",
        "UPDATE consumed_request SET order_id = 'x'",
        "DELETE FROM consumed_request",
        "TRUNCATE consumed_request",
        "UPDATE journal SET word = 'x'",
        "DELETE FROM journal",
        "DELETE FROM hold",
        "UPDATE hold SET fence = 1",
        "DELETE FROM item",
        "UPDATE item SET section = 'x'",
        "UPDATE pool SET kind = 'STOCK'",
        "UPDATE pool_change SET reason = 'x'",
        "DELETE FROM pool_change",
        "UPDATE item SET version = 9",
        "DELETE FROM commitment",
        "UPDATE commitment SET price_cents = 0",
        "UPDATE attempt SET outcome = 'x'",
        "DELETE FROM attempt",
        "DELETE FROM verification",
        "UPDATE authorization_nonce SET not_after = now()",
        "DELETE FROM pool",
        "DELETE FROM stream",
        "UPDATE stream SET caller = 'x'",
        "UPDATE stream_event SET type = 'x'",
        "DELETE FROM stream_event",
        "UPDATE stream_alias SET stream_id = 'x'",
        "DELETE FROM stream_secret",
        "SET session_replication_role = replica"
      })
  void the_service_may_not(String sql) {
    denied("holdfast_service", sql);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "INSERT INTO consumed_request DEFAULT VALUES",
        "INSERT INTO attempt DEFAULT VALUES",
        "UPDATE item SET status = 'SOLD'",
        "DELETE FROM outbox",
        "SELECT hash FROM api_key",
        "SELECT body FROM request_result",
        "SELECT data FROM stream_event",
        "SELECT fingerprint FROM stream_secret",
        "SELECT journal_partitions(1)"
      })
  @Requirement("RS-UF-3")
  void the_auditor_may_not(String sql) {
    denied("holdfast_auditor", sql);
  }

  @Test
  void the_auditor_reads_the_records() {
    for (var table :
        new String[] {
          "pool",
          "item",
          "hold",
          "journal",
          "commitment",
          "consumed_request",
          "verification",
          "attempt",
          "outbox",
          "token_result",
          "authorization_nonce",
          "fence_epoch",
          "stream",
          "stream_alias",
          "stream_event",
          "stream_secret"
        }) {
      assertThatCode(() -> as("holdfast_auditor", "SELECT count(*) FROM " + table))
          .doesNotThrowAnyException();
    }
  }

  @Test
  void the_service_makes_partitions_ahead() {
    assertThatCode(() -> as("holdfast_service", "SELECT journal_partitions(14)"))
        .doesNotThrowAnyException();
  }

  private void denied(String role, String sql) {
    assertThatThrownBy(() -> as(role, sql))
        .isInstanceOf(SQLException.class)
        .message()
        .containsAnyOf("permission denied", "must be owner");
  }

  private void as(String role, String sql) throws SQLException {
    try (var connection = servers.connection();
        var statement = connection.createStatement()) {
      statement.execute("SET ROLE " + role);
      statement.execute(sql);
    }
  }
}
