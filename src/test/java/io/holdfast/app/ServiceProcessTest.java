package io.holdfast.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.holdfast.testing.Await;
import io.holdfast.testing.Folders;
import io.holdfast.testing.HoldfastProcess;
import io.holdfast.testing.Http;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(RealServers.class)
@Tag("slow")
class ServiceProcessTest {
  @TempDir Path folder;

  @Test
  void a_start_tells_where_everything_is_and_an_end_leaves_no_process() throws Exception {
    var data = folder.resolve("data");
    try (var process = HoldfastProcess.start(data, Map.of())) {
      var run = process.awaitReady();

      var http = run.get("http").asText();
      assertThat(Http.json(Http.get(URI.create(http), "/health")).get("status").asText())
          .isEqualTo("UP");
      assertThat(run.get("pid").asLong()).isEqualTo(process.pid());
      assertThat(commandLine(run.get("redisPid").asLong())).contains("redis-server");
      assertThat(commandLine(run.get("postgresPid").asLong())).contains("postgres");
      assertThat(run.get("redis").asText()).startsWith("redis://127.0.0.1:");
      assertThat(run.get("jdbc").asText()).startsWith("jdbc:postgresql://127.0.0.1:");
      assertThat(
              PosixFilePermissions.toString(
                  Files.getPosixFilePermissions(data.resolve("run.json"))))
          .isEqualTo("rw-------");
      assertThat(
              PosixFilePermissions.toString(Files.getPosixFilePermissions(data.resolve("id-key"))))
          .isEqualTo("rw-------");
      Await.until(Duration.ofSeconds(5), () -> process.output().contains("try    curl"));
      assertThat(process.output()).contains("page   " + http);
      assertThat(run("sh", "-c", curlLine(process))).contains("\"state\":\"HELD\"");

      process.terminate();
      assertThat(process.awaitExit()).isEqualTo(143);
      assertQuiet(process);
    }
    assertThat(HoldfastProcess.processesOf(folder)).isEmpty();
    assertThat(data.resolve("run.json")).doesNotExist();
  }

  @Test
  @Tag("proof")
  void written_data_and_addresses_survive_a_restart() throws SQLException {
    var data = folder.resolve("data");
    JsonNode before;
    try (var process = HoldfastProcess.start(data, Map.of())) {
      before = process.awaitReady();
      execute(process, "INSERT INTO pool VALUES ('hall', 'SEATS', 7)");
    }
    try (var process = HoldfastProcess.start(data, Map.of())) {
      assertThat(process.awaitReady().get("redis")).isEqualTo(before.get("redis"));
      assertThat(process.awaitReady().get("jdbc")).isEqualTo(before.get("jdbc"));
      assertThat(execute(process, "UPDATE pool SET epoch = 8 WHERE pool = 'hall' AND epoch = 7"))
          .isEqualTo(1);
      process.terminate();
      process.awaitExit();
      assertQuiet(process);
    }
  }

  @Test
  void with_addresses_of_servers_nothing_embedded_is_started(TestServers servers) {
    var data = folder.resolve("data");
    var environment = Map.of("REDIS_URI", servers.redisUri(), "JDBC_URL", servers.jdbcUrl());
    try (var process = HoldfastProcess.start(data, environment)) {
      var run = process.awaitReady();

      assertThat(run.get("redisPid").isNull()).isTrue();
      assertThat(run.get("postgresPid").isNull()).isTrue();
      assertThat(ProcessHandle.of(process.pid()).orElseThrow().descendants()).isEmpty();
      assertThat(data.resolve("postgres")).doesNotExist();
      assertThat(data.resolve("redis")).doesNotExist();
      assertThat(data.resolve("id-key")).doesNotExist();
    }
  }

  @Test
  void a_service_whose_server_keeps_crashing_ends_and_says_why(TestServers servers) {
    var data = folder.resolve("data");
    try (var process = HoldfastProcess.start(data, Map.of("JDBC_URL", servers.jdbcUrl()))) {
      process.awaitReady();

      Await.until(
          Duration.ofSeconds(60),
          () -> {
            HoldfastProcess.killServersOf(data);
            return !process.isAlive();
          });

      assertThat(process.awaitExit()).isEqualTo(1);
      assertThat(process.output()).containsPattern("Redis [0-9.]+ crashed");
    }
    assertThat(HoldfastProcess.processesOf(folder)).isEmpty();
  }

  @Test
  void both_servers_may_crash_at_once() {
    var data = folder.resolve("data");
    try (var process = HoldfastProcess.start(data, Map.of())) {
      var before = process.awaitReady();

      HoldfastProcess.killServersOf(data);
      Await.until(Duration.ofSeconds(30), () -> areOthers(process.awaitReady(), before));

      assertThat(process.output()).contains("is back").doesNotContain("\tat ");
    }
  }

  @Test
  void migrate_brings_the_schema_and_ends(TestServers servers) {
    var environment = Map.of("REDIS_URI", servers.redisUri(), "JDBC_URL", servers.jdbcUrl());
    try (var process = HoldfastProcess.start(folder.resolve("data"), environment, "migrate")) {
      assertThat(process.awaitExit()).as(process.output()).isZero();
      assertThat(process.output()).contains("The schema is current");
    }
  }

  @Test
  void json_is_logged_by_setting() {
    try (var process =
        HoldfastProcess.start(folder.resolve("data"), Map.of("HOLDFAST_LOG", "json"))) {
      process.awaitReady();
      Await.until(Duration.ofSeconds(5), () -> process.output().contains("try    curl"));

      assertThat(process.output().lines()).allMatch(line -> line.startsWith("{\"timestamp\":"));
    }
  }

  @Test
  void an_unknown_command_is_answered_with_the_one_that_was_meant() {
    try (var process = HoldfastProcess.start(folder.resolve("data"), Map.of(), "serv")) {
      assertThat(process.awaitExit()).isEqualTo(2);
      assertThat(process.output()).contains("Did you mean: holdfast serve?");
    }
  }

  @Test
  void the_single_jar_runs_by_itself() throws Exception {
    var java = Path.of(System.getProperty("java.home"), "bin/java").toString();

    assertThat(run(java, "-jar", fatJar().toString(), "--version")).startsWith("holdfast ");
  }

  /// From start to end: nothing to worry about, and no object printed by its address or its fields.
  private static void assertQuiet(HoldfastProcess process) {
    assertThat(process.output())
        .contains(" INFO ")
        .doesNotContain(" WARN ", " ERROR ", "\tat ")
        .doesNotContainPattern("@[0-9a-f]{5,}")
        .doesNotContainPattern("[A-Z]\\w+\\[\\w+=");
  }

  private static boolean areOthers(JsonNode run, JsonNode before) {
    return List.of("redisPid", "postgresPid").stream()
        .noneMatch(pid -> run.get(pid).equals(before.get(pid)));
  }

  private static Path fatJar() throws Exception {
    try (var files = Files.list(Folders.build().resolve("libs"))) {
      return files.filter(file -> file.toString().endsWith("-all.jar")).findFirst().orElseThrow();
    }
  }

  private static String curlLine(HoldfastProcess process) {
    return process
        .output()
        .lines()
        .filter(line -> line.contains("try    curl"))
        .map(line -> line.replaceFirst(".*try +", ""))
        .findFirst()
        .orElseThrow();
  }

  private static String run(String... command) throws Exception {
    var process = new ProcessBuilder(List.of(command)).redirectErrorStream(true).start();
    var output = new String(process.getInputStream().readAllBytes());
    assertThat(process.waitFor()).as(output).isZero();
    return output;
  }

  private static String commandLine(long pid) {
    return ProcessHandle.of(pid).flatMap(process -> process.info().commandLine()).orElse("");
  }

  private static int execute(HoldfastProcess process, String sql) throws SQLException {
    var jdbc = process.awaitReady().get("jdbc").asText();
    try (var connection = DriverManager.getConnection(jdbc);
        var statement = connection.createStatement()) {
      return statement.executeUpdate(sql);
    }
  }
}
