package io.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.holdfast.testing.FaultProxy;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// A transaction commits, is refused, or has an unknown result.
@ExtendWith(RealServers.class)
class TransactionsTest {
  private final TestServers servers;
  private final TestSchema schema;

  TransactionsTest(TestServers servers) {
    this.servers = servers;
    this.schema = new TestSchema(servers);
  }

  @BeforeEach
  void aTable() throws SQLException {
    schema.execute("DROP TABLE IF EXISTS done");
    schema.execute("CREATE TABLE done (id int UNIQUE DEFERRABLE INITIALLY DEFERRED)");
    schema.execute("GRANT ALL ON done TO PUBLIC");
  }

  @Test
  void an_answered_write_is_stored() throws SQLException {
    try (var link = TestLink.to(servers.jdbcUrl())) {
      int rows = link.transactions().write(connection -> insert(connection, 1));

      assertThat(rows).isEqualTo(1);

      assertThat(done()).containsExactly("1");
    }
  }

  @Test
  void a_failure_before_commit_definitely_changes_nothing() throws SQLException {
    try (var proxy = FaultProxy.before(servers.jdbcUrl());
        var link = TestLink.to(proxy.insteadOf(servers.jdbcUrl()))) {
      proxy.dropReplyTo("INSERT INTO done");

      assertThat(failure(link, 1).isDefinite()).isTrue();
      assertThat(done()).isEmpty();
    }
  }

  @Test
  void an_unsent_commit_and_a_lost_response_are_both_unknown() throws SQLException {
    try (var proxy = FaultProxy.before(servers.jdbcUrl());
        var link = TestLink.to(proxy.insteadOf(servers.jdbcUrl()))) {
      proxy.cutAt("COMMIT");
      assertThat(failure(link, 1).isDefinite()).isFalse();
      assertThat(done()).isEmpty();

      proxy.dropReplyTo("COMMIT");
      assertThat(failure(link, 2).isDefinite()).isFalse();
      assertThat(done()).containsExactly("2");
    }
  }

  @Test
  void a_commit_that_the_server_refuses_has_surely_changed_nothing() throws SQLException {
    try (var link = TestLink.to(servers.jdbcUrl())) {
      link.transactions().write(connection -> insert(connection, 1));

      assertThat(failure(link, 1).isDefinite()).isTrue();
      assertThat(done()).containsExactly("1");
    }
  }

  @Test
  void work_that_throws_changes_nothing_and_its_connection_is_reusable() throws SQLException {
    try (var link = TestLink.to(servers.jdbcUrl())) {
      for (var time = 0; time < 10; time++) {
        catchThrowableOfType(
            IllegalStateException.class,
            () ->
                link.transactions()
                    .write(
                        connection -> {
                          insert(connection, 1);
                          throw new IllegalStateException("a bug");
                        }));
      }

      assertThat(done()).isEmpty();
      int rows = link.transactions().write(connection -> insert(connection, 2));
      assertThat(rows).isEqualTo(1);
    }
  }

  private static PostgresUnavailable failure(TestLink link, int id) {
    return catchThrowableOfType(
        PostgresUnavailable.class,
        () -> link.transactions().write(connection -> insert(connection, id)));
  }

  private static int insert(Connection connection, int id) throws SQLException {
    try (var insert = connection.prepareStatement("INSERT INTO done VALUES (?)")) {
      insert.setInt(1, id);
      return insert.executeUpdate();
    }
  }

  private List<String> done() throws SQLException {
    return schema.texts("SELECT id::text FROM done");
  }
}
