package io.holdfast.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.postgres.PostgresUnavailable;
import io.holdfast.postgres.TestLink;
import io.holdfast.postgres.TestSchema;
import io.holdfast.runtime.InstanceId;
import io.holdfast.runtime.PeriodicTasks;
import io.holdfast.testing.FaultProxy;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.Requirement;
import io.holdfast.testing.TestServers;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.SQLException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Token outcomes are deleted after their window, and a metric shows a backlog.
@ExtendWith(RealServers.class)
class TokenPurgeTest {
  private final TestServers servers;
  private final TestSchema schema;

  TokenPurgeTest(TestServers servers) {
    this.servers = servers;
    this.schema = new TestSchema(servers);
  }

  @BeforeAll
  static void migrate(TestServers servers) {
    new TestSchema(servers).migrate();
  }

  @BeforeEach
  void tokens() throws SQLException {
    schema.clear("token_result", "lease");
    insert(5_000, "now() - interval '62 seconds'");
    insert(3, "now() - interval '45 seconds'");
    insert(4, "now() + interval '1 hour'");
  }

  @Requirement("DP-EC-10")
  @Test
  void elapsed_tokens_are_deleted_one_minute_after_their_window() throws SQLException {
    try (var link = TestLink.to(servers.jdbcUrl())) {
      purge(link).run();

      assertThat(left()).isEqualTo(7);
    }
  }

  /// Postgres analyses a table at most once a minute. After an analysis of the empty table, the
  /// planner expects one row.
  @Requirement("IR-EC-06")
  @Test
  void a_table_whose_statistics_say_empty_is_purged_as_fast() throws SQLException {
    schema.execute("DELETE FROM token_result; ANALYZE token_result");
    insert(5_000, "now() - interval '62 seconds'");
    insert(40, "now() + interval '1 hour'");
    try (var link = TestLink.to(servers.jdbcUrl())) {
      purge(link).run();

      assertThat(left()).isEqualTo(40);
    }
  }

  @Requirement("IR-EC-06")
  @Test
  void a_metric_shows_how_long_entries_outlive_their_window() throws SQLException {
    var meters = new SimpleMeterRegistry();
    try (var link = TestLink.to(servers.jdbcUrl())) {
      var purge =
          new TokenPurge(
              link.tokens(), link.leases(), new InstanceId(), new PeriodicTasks(meters), meters);

      purge.run();
      assertThat(overdue(meters)).isBetween(45.0, TokenPurge.OVERDUE_MAX.toSeconds() - 1.0);

      schema.clear("token_result");
      purge.run();
      assertThat(overdue(meters)).isZero();
    }
  }

  /// An open transaction that has locked the entries prevents their deletion.
  @Requirement("IR-EC-06")
  @Test
  void entries_that_cannot_be_deleted_raise_the_metric_above_its_limit() throws SQLException {
    var meters = new SimpleMeterRegistry();
    insert(1, "now() - interval '10 minutes'");
    try (var link = TestLink.to(servers.jdbcUrl());
        var connection = servers.connection();
        var statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute("SELECT FROM token_result FOR UPDATE");

      new TokenPurge(
              link.tokens(), link.leases(), new InstanceId(), new PeriodicTasks(meters), meters)
          .run();

      assertThat(overdue(meters)).isGreaterThan(TokenPurge.OVERDUE_MAX.toSeconds());
      connection.rollback();
    }
  }

  private static double overdue(SimpleMeterRegistry meters) {
    return meters.get("holdfast.tokens.overdue.seconds").gauge().value();
  }

  @Test
  void only_the_instance_with_the_lease_purges() throws SQLException {
    try (var link = TestLink.to(servers.jdbcUrl())) {
      schema.execute("INSERT INTO lease VALUES ('purge', 'other', now() + interval '1 minute')");

      purge(link).run();

      assertThat(left()).isEqualTo(5_007);
    }
  }

  @Test
  void after_an_outage_of_postgres_the_next_run_purges() throws SQLException {
    try (var proxy = FaultProxy.before(servers.jdbcUrl());
        var link = TestLink.to(proxy.insteadOf(servers.jdbcUrl()))) {
      var purge = purge(link);
      proxy.cut();
      assertThatThrownBy(purge::run).isInstanceOf(PostgresUnavailable.class);
      assertThat(left()).isEqualTo(5_007);

      proxy.heal();
      purge.run();
      assertThat(left()).isEqualTo(7);
    }
  }

  private static TokenPurge purge(TestLink link) {
    return new TokenPurge(
        link.tokens(),
        link.leases(),
        new InstanceId(),
        new PeriodicTasks(new SimpleMeterRegistry()),
        new SimpleMeterRegistry());
  }

  private void insert(int count, String windowUntil) throws SQLException {
    schema.execute(
        """
        INSERT INTO token_result
        SELECT 'arena', 'shop', gen_random_uuid()::text::bytea, 'release', 'd', '1', 'HELD',
               now() - interval '1 day', %s FROM generate_series(1, %d)
        """
            .formatted(windowUntil, count));
  }

  private int left() throws SQLException {
    return Integer.parseInt(schema.texts("SELECT count(*)::text FROM token_result").getFirst());
  }
}
