package io.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.StartFailure;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.configuration.FluentConfiguration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@ExtendWith(RealServers.class)
class MigrationTest {
  private static final String SHIPPED = "classpath:db-migrations";

  private final TestSchema schema;

  MigrationTest(TestServers servers) {
    schema = new TestSchema(servers);
  }

  @BeforeEach
  void empty() throws SQLException {
    schema.empty();
  }

  @Test
  void an_empty_database_is_brought_to_the_newest_version_once() throws IOException {
    var first = schema.migrate();
    var second = schema.migrate();

    assertThat(first).isEqualTo((int) MigrationFilesTest.files().count());
    assertThat(second).isZero();
  }

  @ParameterizedTest(name = "from version {0}")
  @MethodSource("earlierVersions")
  void every_earlier_version_is_brought_to_the_same_schema(int version) throws Exception {
    schema.migrate();
    var newest = schema.content();
    schema.empty();
    flyway(SHIPPED).target(version + "?").load().migrate();

    schema.migrate();

    assertThat(schema.content()).isEqualTo(newest);
  }

  @Test
  void of_instances_that_start_at_once_one_migrates() throws IOException {
    var one = CompletableFuture.supplyAsync(schema::migrate);
    var other = CompletableFuture.supplyAsync(schema::migrate);

    assertThat(one.join() + other.join()).isEqualTo((int) MigrationFilesTest.files().count());
  }

  @Test
  void a_broken_migration_fails_in_one_sentence_and_leaves_the_schema_as_it_was(@TempDir Path more)
      throws Exception {
    schema.migrate();
    var before = schema.content();
    Files.writeString(
        more.resolve("V999__broken.sql"),
        """
        CREATE TABLE half (id bigint);
        ALTER TABLE nothing ADD COLUMN more text;
        """);
    var broken = flyway(SHIPPED, "filesystem:" + more).load();

    assertThatThrownBy(() -> Migrations.migrate(broken))
        .isInstanceOf(StartFailure.class)
        .message()
        .startsWith("The migration of the database failed and was rolled back (")
        .contains("V999__broken.sql", "\"nothing\" does not exist")
        .matches("[^\\r\\n]+\\.");

    assertThat(schema.content()).isEqualTo(before);
    assertThat(schema.migrate()).isZero();
  }

  static IntStream earlierVersions() throws IOException {
    return IntStream.range(0, (int) MigrationFilesTest.files().count());
  }

  private FluentConfiguration flyway(String... locations) {
    return Flyway.configure()
        .dataSource(schema.servers().jdbcUrl(), null, null)
        .locations(locations);
  }
}
