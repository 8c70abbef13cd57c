package io.holdfast.testing;

import io.holdfast.embedded.EmbeddedServers;
import io.holdfast.embedded.RedisProgram;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// One node of a `RedisCluster`. It keeps its folder and ports over restarts.
///
/// @param busPort the port of the cluster bus
record ClusterNode(Path folder, int port, int busPort) {

  /// A node without memory of the cluster that an earlier run, perhaps killed, has left there.
  static ClusterNode in(Path folder) {
    try {
      Files.deleteIfExists(folder.resolve("nodes.conf"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new ClusterNode(folder, EmbeddedServers.freePort(), EmbeddedServers.freePort());
  }

  String uri() {
    return "redis://127.0.0.1:" + port;
  }

  Process start() {
    try {
      Files.createDirectories(folder);
      var program = RedisProgram.in(Folders.binaries());
      var settings =
          """
          port %d
          cluster-port %d
          bind 127.0.0.1
          dir "%s"
          cluster-enabled yes
          cluster-node-timeout 2000
          maxmemory-policy noeviction
          repl-diskless-sync-delay 0
          save ""
          """
              .formatted(port, busPort, folder);
      var file = Files.writeString(folder.resolve("redis.conf"), settings);
      return new ProcessBuilder(program.toString(), file.toString())
          .redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.appendTo(folder.resolve("log").toFile()))
          .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
