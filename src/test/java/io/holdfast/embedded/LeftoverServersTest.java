package io.holdfast.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.testing.Folders;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Processes and files that an earlier run, or a crash of the machine, left in the data folder.
class LeftoverServersTest {

  @Test
  void a_server_that_an_earlier_run_left_behind_is_ended_before_a_new_one_starts(
      @TempDir Path other) {
    try (var data = DataFolder.take(other.resolve("data"));
        var next = servers(data)) {
      var orphan = leaveRedisRunning(data);

      next.addRedis();
      next.launch();
      next.awaitReady();

      assertThat(ProcessHandle.of(orphan).filter(ProcessHandle::isAlive)).isEmpty();
      assertThat(next.redisPid().getAsLong()).isNotEqualTo(orphan);
    }
  }

  /// As after a crash of the machine, when pids begin anew.
  @Test
  void a_reused_pid_in_the_file_of_the_server_does_not_prevent_its_start(@TempDir Path other)
      throws Exception {
    var stranger = new ProcessBuilder("sleep", "60").start();
    try (var data = DataFolder.take(other.resolve("data"))) {
      try (var first = servers(data)) {
        first.addPostgres();
        first.launch();
        first.awaitReady();
      }
      var left =
          List.of("" + stranger.pid(), data.resolve("postgres").toString(), "1", "1", "", "", "");
      Files.write(data.resolve("postgres/postmaster.pid"), left);

      try (var next = servers(data)) {
        next.addPostgres();
        next.launch();
        next.awaitReady();
      }
      assertThat(stranger.isAlive()).isTrue();
    } finally {
      stranger.destroyForcibly();
    }
  }

  @Test
  void a_server_is_known_again_by_whatever_name_its_folder_is_reached(@TempDir Path other)
      throws Exception {
    var real = Files.createDirectory(other.resolve("real"));
    var link = Files.createSymbolicLink(other.resolve("link"), real);
    long orphan;
    try (var byLink = DataFolder.take(link)) {
      orphan = leaveRedisRunning(byLink);
    }

    try (var byName = DataFolder.take(real);
        var next = servers(byName)) {
      next.addRedis();
      next.launch();
      next.awaitReady();

      assertThat(ProcessHandle.of(orphan).filter(ProcessHandle::isAlive)).isEmpty();
    }
  }

  @Test
  void a_database_whose_password_is_lost_is_not_given_a_new_one(@TempDir Path other)
      throws Exception {
    try (var data = DataFolder.take(other.resolve("data"));
        var own = servers(data)) {
      Files.createDirectory(data.resolve("postgres"));

      assertThatThrownBy(own::addPostgres).hasMessageContaining("its password file");
      assertThat(data.resolve("postgres.password")).doesNotExist();
    }
  }

  @Test
  void another_process_with_the_pid_of_an_earlier_server_is_not_ended(@TempDir Path other)
      throws Exception {
    Files.createDirectories(other.resolve("data/redis"));
    Files.createFile(other.resolve("data/redis/redis.conf"));
    var stranger =
        new ProcessBuilder("tail", "-f", other.toRealPath() + "/data/redis/redis.conf").start();
    try (var data = DataFolder.take(other.resolve("data"));
        var own = servers(data)) {
      Files.writeString(data.resolve("redis.pid"), "" + stranger.pid());
      own.addRedis();
      own.launch();
      own.awaitReady();

      assertThat(stranger.isAlive()).isTrue();
    } finally {
      stranger.destroyForcibly();
    }
  }

  /// As after a kill of the service: the server runs without a parent.
  private static long leaveRedisRunning(DataFolder data) {
    var redis = new EmbeddedRedis(data, Folders.binaries(), EmbeddedServers.freePort());
    var orphan = ServerRun.launch(redis.prepare());
    orphan.awaitReady(() -> false);
    return orphan.pid();
  }

  private static EmbeddedServers servers(DataFolder data) {
    return new EmbeddedServers(data, Folders.binaries(), LeftoverServersTest::fail);
  }

  private static void fail(String why) {
    throw new AssertionError(why);
  }
}
