package io.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.runtime.StartFailure;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.configuration.FluentConfiguration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

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

  /// One database stops at every version in turn, so each version is the start of an upgrade.
  @Test
  void a_database_of_any_earlier_version_gets_the_same_schema_as_an_empty_one() throws Exception {
    schema.migrate();
    var newest = schema.content();
    var versions = (int) MigrationFilesTest.files().count();
    schema.empty();

    for (var version = 1; version <= versions; version++) {
      var step = flyway(SHIPPED).target(Integer.toString(version)).load().migrate();
      assertThat(step.migrationsExecuted).as("migrations to version %d", version).isOne();
    }

    assertThat(schema.content()).isEqualTo(newest);
    assertThat(schema.migrate()).isZero();
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

  @Test
  void a_database_from_before_the_baseline_is_refused_and_stays_as_it_was(@TempDir Path old)
      throws Exception {
    Files.writeString(
        old.resolve("V001__pool.sql"),
        "CREATE TABLE pool (pool text PRIMARY KEY); INSERT INTO pool VALUES ('arena')");
    Files.writeString(old.resolve("V019__events_of_sales.sql"), "CREATE TABLE shredding (id int)");
    flyway("filesystem:" + old).load().migrate();
    var before = schema.content();

    assertThatThrownBy(schema::migrate)
        .isInstanceOf(StartFailure.class)
        .message()
        .startsWith("The database was made by an unreleased version from before the baseline of")
        .contains("drop it", "start again")
        .matches("[^\\r\\n]+\\.");

    assertThat(schema.content()).isEqualTo(before);
    assertThat(schema.texts("SELECT pool FROM pool")).containsExactly("arena");
  }

  @Test
  void a_database_with_other_migrations_is_refused_without_advice_to_drop_it() throws Exception {
    flyway(SHIPPED).target("2").load().migrate();
    schema.execute("UPDATE flyway_schema_history SET checksum = 1 WHERE version = '002'");
    var before = schema.content();

    assertThatThrownBy(schema::migrate)
        .isInstanceOf(StartFailure.class)
        .message()
        .startsWith("The database has had other migrations than this version contains (002 differ)")
        .doesNotContain("drop", "repair")
        .matches("[^\\r\\n]+\\.");

    assertThat(schema.content()).isEqualTo(before);
  }

  private FluentConfiguration flyway(String... locations) {
    return Flyway.configure()
        .dataSource(schema.servers().jdbcUrl(), null, null)
        .locations(locations);
  }
}
