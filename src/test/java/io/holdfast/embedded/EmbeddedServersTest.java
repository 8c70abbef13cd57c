package io.holdfast.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.testing.Await;
import io.holdfast.testing.Folders;
import io.holdfast.testing.HoldfastProcess;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedServersTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @TempDir static Path folder;

  private static final AtomicInteger RESTARTS = new AtomicInteger();
  private static final AtomicReference<String> GIVEN_UP = new AtomicReference<>();

  private static DataFolder home;
  private static EmbeddedServers servers;
  private static String redis;
  private static String postgres;

  @BeforeAll
  static void start() {
    home = DataFolder.take(folder.resolve("data with blanks"));
    servers = new EmbeddedServers(home, Folders.binaries(), GIVEN_UP::set);
    servers.onRestart(RESTARTS::incrementAndGet);
    redis = servers.addRedis();
    postgres = servers.addPostgres();
    servers.launch();
    servers.awaitReady();
  }

  @AfterAll
  static void stop() {
    servers.close();
    home.close();
    assertThat(HoldfastProcess.processesOf(folder)).isEmpty();
  }

  @Test
  void postgres_writes_through_to_the_disk() throws SQLException {
    assertThat(show("fsync")).isEqualTo("on");
    assertThat(show("synchronous_commit")).isEqualTo("on");
    assertThat(show("full_page_writes")).isEqualTo("on");
    assertThat(show("data_checksums")).isEqualTo("on");
  }

  @Test
  void postgres_listens_on_loopback_only_and_requires_a_password() throws SQLException {
    assertThat(show("listen_addresses")).isEqualTo("127.0.0.1");
    assertThat(show("unix_socket_directories")).isEmpty();
    var guess = postgres.replaceFirst("password=.*", "password=guess");
    assertThatThrownBy(() -> DriverManager.getConnection(guess))
        .hasMessageContaining("password authentication failed");
  }

  @Test
  void redis_logs_every_change_and_never_evicts() {
    assertThat(configuration("appendonly")).isEqualTo("yes");
    assertThat(configuration("appendfsync")).isEqualTo("everysec");
    assertThat(configuration("maxmemory-policy")).isEqualTo("noeviction");
    assertThat(configuration("bind")).isEqualTo("127.0.0.1");
    assertThat(configuration("protected-mode")).isEqualTo("yes");
    assertThat(configuration("enable-protected-configs")).isEqualTo("no");
  }

  /// The append-only file is written to the disk once a second, so the test waits for that.
  @Test
  void a_redis_that_is_killed_is_back_at_the_same_address_with_its_data() {
    redis(commands -> commands.set("kept", "yes"));
    Await.until(
        PATIENCE,
        () -> redis(commands -> commands.info("persistence")).contains("aof_pending_bio_fsync:0"));
    var pid = servers.redisPid().getAsLong();
    var restarts = RESTARTS.get();

    kill(pid);
    Await.until(PATIENCE, () -> RESTARTS.get() > restarts);

    assertThat(servers.redisPid().getAsLong()).isNotEqualTo(pid);
    assertThat(EmbeddedServersTest.<String>redis(commands -> commands.get("kept")))
        .isEqualTo("yes");
  }

  @Test
  void a_postgres_that_is_killed_is_back_at_the_same_address_with_its_data() throws SQLException {
    execute("CREATE TABLE kept (id int)");
    var pid = servers.postgresPid().getAsLong();
    var restarts = RESTARTS.get();

    kill(pid);
    Await.until(PATIENCE, () -> RESTARTS.get() > restarts);

    assertThat(servers.postgresPid().getAsLong()).isNotEqualTo(pid);
    execute("DROP TABLE kept");
  }

  @Test
  void a_server_that_keeps_crashing_is_given_up_aloud(@TempDir Path other) {
    try (var data = DataFolder.take(other.resolve("data"));
        var own = new EmbeddedServers(data, Folders.binaries(), GIVEN_UP::set)) {
      own.addRedis();
      own.launch();
      own.awaitReady();

      Await.until(
          PATIENCE,
          () -> {
            kill(own.redisPid().getAsLong());
            return GIVEN_UP.get() != null;
          });

      assertThat(GIVEN_UP.get()).contains("Redis").contains("crashed more than");
    }
  }

  private static void kill(long pid) {
    ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
  }

  private static void execute(String sql) throws SQLException {
    try (var connection = DriverManager.getConnection(postgres)) {
      connection.createStatement().execute(sql);
    }
  }

  private static String show(String setting) throws SQLException {
    try (var connection = DriverManager.getConnection(postgres);
        var rows = connection.createStatement().executeQuery("SHOW " + setting)) {
      rows.next();
      return rows.getString(1);
    }
  }

  private static String configuration(String name) {
    return redis(commands -> commands.configGet(name)).get(name);
  }

  private static <T> T redis(Function<RedisCommands<String, String>, T> work) {
    try (var client = RedisClient.create(redis);
        var connection = client.connect()) {
      return work.apply(connection.sync());
    }
  }
}
