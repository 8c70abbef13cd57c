package io.holdfast.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testing.Folders;
import io.holdfast.testing.LogLines;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The servers of a data folder keep their ports over restarts, as long as these are free.
class PortsOfServersTest {
  @TempDir Path folder;

  private final LogLines log = LogLines.of(EmbeddedServers.class);

  @AfterEach
  void stopListening() {
    log.close();
  }

  @Test
  void both_servers_have_the_same_addresses_after_a_restart() {
    var first = addresses();

    assertThat(addresses()).isEqualTo(first);
    assertThat(addresses()).isEqualTo(first);
    assertThat(log.warnings()).isEmpty();
  }

  @Test
  void a_server_that_a_killed_run_left_behind_is_ended_and_gives_up_its_port() {
    try (var data = DataFolder.take(folder)) {
      var address = addressOfRedis(data);
      var left = new EmbeddedRedis(data, Folders.binaries(), URI.create(address).getPort());
      var orphan = ServerRun.launch(left.prepare());
      orphan.awaitReady(() -> false);

      try (var next = servers(data)) {
        assertThat(next.addRedis()).isEqualTo(address);
        assertThat(ProcessHandle.of(orphan.pid()).filter(ProcessHandle::isAlive)).isPresent();
        next.launch();
        next.awaitReady();

        assertThat(ProcessHandle.of(orphan.pid()).filter(ProcessHandle::isAlive)).isEmpty();
        assertThat(next.redisPid().getAsLong()).isNotEqualTo(orphan.pid());
      }
      assertThat(log.warnings()).isEmpty();
    }
  }

  @Test
  void a_port_that_another_program_has_taken_is_left_to_it_and_the_log_says_so()
      throws IOException {
    var first = addresses().getFirst();
    var port = URI.create(first).getPort();
    String second;
    try (var _ = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      second = addresses().getFirst();
    }

    assertThat(second).isNotEqualTo(first);
    assertThat(log.warnings()).hasSize(1);
    assertThat(log.warnings().getFirst())
        .contains("Port " + port, "Redis", "in use by another program", second.substring(18));
    assertThat(addresses().getFirst()).as("the new port is kept").isEqualTo(second);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "nonsense", "0", "99999", "-1", "1\n2"})
  void a_file_that_names_no_port_counts_as_none(String text) throws IOException {
    Files.writeString(folder.resolve("redis.port"), text);

    var chosen = addresses().getFirst();

    assertThat(URI.create(chosen).getPort()).isBetween(20_000, 29_999);
    assertThat(addresses().getFirst()).isEqualTo(chosen);
  }

  @Test
  void two_folders_do_not_share_a_port() {
    try (var one = DataFolder.take(folder.resolve("one"));
        var other = DataFolder.take(folder.resolve("other"));
        var ofOne = servers(one);
        var ofOther = servers(other)) {
      var taken = ofOne.addRedis();
      new ServerIdentity(other.resolve("redis"), List.of(), "")
          .keepPort(URI.create(taken).getPort());

      assertThat(ofOther.addRedis()).isNotEqualTo(taken);
    }
  }

  /// Of a run that starts and stops, Redis first.
  private List<String> addresses() {
    try (var data = DataFolder.take(folder);
        var servers = servers(data)) {
      return List.of(servers.addRedis(), servers.addPostgres());
    }
  }

  private static String addressOfRedis(DataFolder data) {
    try (var servers = servers(data)) {
      return servers.addRedis();
    }
  }

  private static EmbeddedServers servers(DataFolder data) {
    return new EmbeddedServers(
        data,
        Folders.binaries(),
        why -> {
          throw new AssertionError(why);
        });
  }
}
