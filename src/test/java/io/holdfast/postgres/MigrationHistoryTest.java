package io.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.SQLException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// When a start may do without Flyway: only where Flyway would find nothing to do and to say.
@ExtendWith(RealServers.class)
class MigrationHistoryTest {
  private final TestSchema schema;

  MigrationHistoryTest(TestServers servers) {
    schema = new TestSchema(servers);
  }

  @BeforeEach
  void empty() throws SQLException {
    schema.empty();
  }

  @Test
  void a_database_without_a_history_is_not_current() {
    assertThat(isCurrent()).isFalse();
  }

  @Test
  void the_build_writes_the_checksums_that_flyway_records() throws SQLException {
    schema.migrate();

    assertThat(
            schema.texts(
                "SELECT script || ' ' || checksum FROM flyway_schema_history"
                    + " ORDER BY installed_rank"))
        .containsExactlyElementsOf(MigrationHistory.shipped());
    assertThat(isCurrent()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "UPDATE flyway_schema_history SET checksum = checksum + 1 WHERE installed_rank = 3",
        "UPDATE flyway_schema_history SET checksum = NULL WHERE installed_rank = 3",
        "UPDATE flyway_schema_history SET success = false WHERE installed_rank = 14",
        "UPDATE flyway_schema_history SET script = 'V003__other.sql' WHERE installed_rank = 3",
        "DELETE FROM flyway_schema_history WHERE installed_rank = 14",
        "INSERT INTO flyway_schema_history SELECT 99, '99', description, type, 'V099__newer.sql',"
            + " checksum, installed_by, installed_on, execution_time, success"
            + " FROM flyway_schema_history WHERE installed_rank = 14",
        "DROP TABLE flyway_schema_history",
      })
  void a_history_that_differs_in_anything_is_left_to_flyway(String difference) throws SQLException {
    schema.migrate();
    schema.execute(difference);

    assertThat(isCurrent()).isFalse();
  }

  /// Also for the role that the service works as, which may not read the history.
  private boolean isCurrent() {
    var settings = TestLink.settings(schema.servers().jdbcUrl());
    try (var link = new PostgresLink(settings, new SimpleMeterRegistry())) {
      return MigrationHistory.isCurrent(link);
    }
  }
}
