package io.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.embedded.EmbeddedServers;
import io.holdfast.testing.HoldfastProcess;
import io.holdfast.testing.RealServers;
import io.holdfast.testing.TestServers;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Every failure of a start prints one sentence, exits with a non-zero code and leaves nothing
/// running.
@ExtendWith(RealServers.class)
@Tag("slow")
class StartFailureTest {
  @TempDir Path folder;

  @AfterEach
  void nothing_is_left_running() {
    assertThat(HoldfastProcess.processesOf(folder)).isEmpty();
  }

  @Test
  void an_invalid_setting_is_named_without_its_secret() {
    assertIsNamed("REDIS_URI", "redis://:SECRET word@127.0.0.1", "must be redis://host:port");
  }

  /// `SettingNamesTest` has more of them, without a process for each.
  @Test
  void a_misspelt_variable_is_answered_with_the_nearest_name() {
    assertThat(failureOf(Map.of("HOLDFAST_RATE_LIMTI", "SECRET")))
        .contains("no setting HOLDFAST_RATE_LIMTI")
        .contains("(environment HOLDFAST_RATE_LIMIT)")
        .doesNotContain("SECRET");
  }

  /// `InvalidSettingTest` has more of them, without a process for each.
  @ParameterizedTest
  @Tag("proof")
  @CsvSource({
    "HOLDFAST_PORT, abc, must be a whole number",
    "HOLDFAST_LOG, xml, must be human or json",
    "HOLDFAST_OPERATOR_KEY, SECRET, must have 24 to 1024 characters",
    "HOLDFAST_OPERATOR_KEY, SECRET with blanks in between, must have visible ASCII characters only",
    "REDIS_COMMAND_TIMEOUT, soon, must be a duration",
    "REDIS_URI, redis://:SEC#RET@127.0.0.1, must be redis://host:port",
    "REDIS_URI, redis-socket:///SECRET, must be redis://host:port",
    "JDBC_URL, jdbc:postgresql://ann:SECRET@127.0.0.1/x, must not name a user or a password",
    "HOLDFAST_DATA, /tmp/${SECRET}, must not contain ${",
  })
  void every_wrong_setting_is_named(String variable, String value, String rule) {
    assertIsNamed(variable, value, rule);
  }

  private void assertIsNamed(String variable, String value, String rule) {
    var sentence = failureOf(Map.of(variable, value));

    assertThat(sentence).contains("(environment " + variable + ")").contains(rule);
    assertThat(sentence).doesNotContain("SEC").doesNotContain("word@");
  }

  @Test
  void a_port_in_use(TestServers servers) throws IOException {
    try (var taken = new ServerSocket(0)) {
      var environment = environment(servers);
      environment.put("HOLDFAST_PORT", "" + taken.getLocalPort());

      assertThat(failureOf(environment)).contains("in use").contains("set HOLDFAST_PORT");
    }
  }

  @Test
  @Tag("proof")
  void a_data_folder_in_use(TestServers servers) {
    try (var first = HoldfastProcess.start(folder.resolve("data"), environment(servers))) {
      first.awaitReady();

      var sentence = failureOf(environment(servers));

      assertThat(sentence).contains("is in use by another Holdfast (pid " + first.pid() + ")");
    }
  }

  @Test
  @Tag("proof")
  void a_data_folder_that_is_a_file() throws IOException {
    Files.createFile(folder.resolve("data"));

    assertThat(failureOf(Map.of())).contains("cannot be used").contains("set HOLDFAST_DATA");
  }

  @Test
  @Tag("proof")
  void a_redis_that_does_not_answer(TestServers servers) {
    var environment = environment(servers);
    environment.put("REDIS_URI", "redis://127.0.0.1:" + EmbeddedServers.freePort());

    assertThat(failureOf(environment)).contains("Redis at 127.0.0.1").contains("set REDIS_URI");
  }

  @Test
  @Tag("proof")
  void a_redis_that_accepts_connections_and_never_answers(TestServers servers) throws IOException {
    try (var silent = new ServerSocket(0)) {
      var environment = environment(servers);
      environment.put("REDIS_URI", "redis://127.0.0.1:" + silent.getLocalPort());

      assertThat(failureOf(environment)).contains("Redis at 127.0.0.1").contains("set REDIS_URI");
    }
  }

  @Test
  @Tag("proof")
  void a_redis_that_evicts(TestServers servers) {
    servers.redis(redis -> redis.configSet("maxmemory-policy", "allkeys-lru"));
    try {
      assertThat(failureOf(environment(servers)))
          .contains("evicts keys (maxmemory-policy allkeys-lru)")
          .contains("noeviction");
    } finally {
      servers.redis(redis -> redis.configSet("maxmemory-policy", "noeviction"));
    }
  }

  @Test
  @Tag("proof")
  void a_postgres_that_does_not_answer(TestServers servers) {
    var environment = environment(servers);
    environment.put(
        "JDBC_URL", "jdbc:postgresql://127.0.0.1:%d/x".formatted(EmbeddedServers.freePort()));
    environment.put("JDBC_PATIENCE", "100ms");

    assertThat(failureOf(environment)).contains("Postgres at jdbc:").contains("set JDBC_URL");
  }

  @Test
  @Tag("proof")
  void a_refused_password_is_reported_without_the_password(TestServers servers) {
    var environment = environment(servers);
    environment.compute(
        "JDBC_URL", (_, url) -> url.replaceFirst("password=[^&]*", "password=guess"));

    assertThat(failureOf(environment))
        .contains("password authentication failed")
        .doesNotContain("guess");
  }

  @Test
  @Tag("proof")
  void a_postgres_that_takes_no_changes(TestServers servers) {
    var environment = environment(servers);
    environment.compute(
        "JDBC_URL", (_, url) -> url + "&options=-c%20default_transaction_read_only=on");

    assertThat(failureOf(environment)).contains("takes no changes").contains("set JDBC_URL");
  }

  @Test
  void a_broken_migration(TestServers servers) throws IOException {
    var migrations = Files.createDirectories(folder.resolve("more/db-migrations"));
    Files.writeString(
        migrations.resolve("V999__broken.sql"), "CREATE TABLE half (id int); SELEKT 1;");

    try (var process =
        HoldfastProcess.startWith(
            folder.resolve("more"), folder.resolve("data"), environment(servers))) {
      assertThat(process.awaitExit()).isEqualTo(1);
      assertThat(lastLine(process))
          .contains("migration")
          .contains("SELEKT")
          .contains("rolled back");
    }
  }

  private String failureOf(Map<String, String> environment) {
    try (var process = HoldfastProcess.start(folder.resolve("data"), environment)) {
      assertThat(process.awaitExit()).as(process.output()).isEqualTo(1);
      assertThat(process.output()).doesNotContain("\tat ");
      return lastLine(process);
    }
  }

  private static String lastLine(HoldfastProcess process) {
    return process.output().lines().reduce("", (_, last) -> last);
  }

  private static Map<String, String> environment(TestServers servers) {
    return new HashMap<>(Map.of("REDIS_URI", servers.redisUri(), "JDBC_URL", servers.jdbcUrl()));
  }
}
