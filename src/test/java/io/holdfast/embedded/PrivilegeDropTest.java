package io.holdfast.embedded;

import static io.holdfast.embedded.PrivilegeDrop.AS_NOBODY;
import static io.holdfast.embedded.PrivilegeDrop.OWN_NAMESPACE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.testing.Folders;
import java.nio.file.Path;
import java.sql.DriverManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// PostgreSQL refuses to be run by root; each way around that is tried where the machine has it.
class PrivilegeDropTest {

  @ParameterizedTest
  @EnumSource(
      value = PrivilegeDrop.class,
      names = {"OWN_NAMESPACE", "AS_NOBODY"})
  void postgres_runs_for_root(PrivilegeDrop way, @TempDir Path folder) throws Exception {
    assumeTrue("root".equals(System.getProperty("user.name")), "only root needs this");
    assumeTrue(way.works(), "this machine does not have this way");
    way.open(folder);
    try (var home = DataFolder.take(folder.resolve("data"))) {
      assertRuns(home, way);
    }
  }

  @Test
  void files_that_one_way_has_made_serve_the_other(@TempDir Path folder) throws Exception {
    assumeTrue("root".equals(System.getProperty("user.name")), "only root needs this");
    assumeTrue(OWN_NAMESPACE.works() && AS_NOBODY.works(), "this machine does not have both ways");
    AS_NOBODY.open(folder);
    try (var home = DataFolder.take(folder.resolve("data"))) {
      assertRuns(home, OWN_NAMESPACE);
      assertRuns(home, AS_NOBODY);
      assertRuns(home, OWN_NAMESPACE);
    }
  }

  private static void assertRuns(DataFolder home, PrivilegeDrop way) throws Exception {
    var postgres = new EmbeddedPostgres(home, Folders.binaries(), EmbeddedServers.freePort(), way);
    try (var process = new ServerProcess("PostgreSQL", postgres::prepare, () -> {}, _ -> {})) {
      process.start();
      try (var connection = DriverManager.getConnection(postgres.url())) {
        assertThat(connection.isValid(5)).isTrue();
      }
    }
  }
}
