package io.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.runtime.StartFailure;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// The rights that a Postgres user without superuser needs.
@ExtendWith(RealServers.class)
class MigrationRightsTest {
  private final TestServers servers;
  private final TestSchema schema;
  private final String user = "weak_" + ProcessHandle.current().pid();

  MigrationRightsTest(TestServers servers) {
    this.servers = servers;
    this.schema = new TestSchema(servers);
  }

  @BeforeEach
  void aUserWithoutRights() throws SQLException {
    schema.migrate(); // so that the roles are there
    schema.empty();
    schema.execute("CREATE ROLE %s LOGIN PASSWORD 'weak'".formatted(user));
    schema.execute("GRANT ALL ON SCHEMA public TO " + user);
  }

  @AfterEach
  void forget() throws SQLException {
    schema.execute("DROP OWNED BY " + user);
    schema.execute("DROP ROLE " + user);
    schema.empty();
  }

  @Test
  void a_user_without_the_roles_gets_the_command_to_run_and_nothing_is_migrated()
      throws SQLException {
    assertThatThrownBy(this::migrate)
        .isInstanceOf(StartFailure.class)
        .message()
        .contains("GRANT holdfast_service, holdfast_auditor TO " + user)
        .matches("[^\\r\\n]+");
    assertThat(schema.texts("SELECT to_regclass('pool')")).containsOnlyNulls();
  }

  @Test
  void a_user_with_the_roles_can_migrate_and_serve() throws SQLException {
    schema.execute("GRANT holdfast_service, holdfast_auditor TO " + user);

    assertThat(migrate()).isPositive();
  }

  private int migrate() {
    var url = servers.jdbcUrl().replaceFirst("[?].*", "") + "?user=" + user + "&password=weak";
    var settings = TestLink.settings(url);
    try (var link = new ConnectionPool(settings, new DiskSpace(), new SimpleMeterRegistry())) {
      return new Migrations(settings, link).migrate();
    }
  }
}
