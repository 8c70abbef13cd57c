package io.holdfast.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/// Redis in the data folder. It writes every change to its append-only file and never evicts; what
/// could be turned against the machine (debug, modules, other folders) is shut.
final class EmbeddedRedis {
  private static final String VERSION = "7.0.15";
  static final String PRODUCT = "Redis " + VERSION;
  private static final int PROBE_TIMEOUT_MS = 200;
  private static final byte[] PING = "PING\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] PONG = "+PONG".getBytes(StandardCharsets.US_ASCII);

  private final Path folder;
  private final Path binaries;
  private final int port;

  EmbeddedRedis(DataFolder home, Path binaries, int port) {
    this.folder = home.resolve("redis");
    this.binaries = binaries;
    this.port = port;
  }

  String uri() {
    return "redis://127.0.0.1:" + port;
  }

  /// The program itself, unpacked if it was not yet.
  static Path executable(Path binaries) {
    return new Unpacking(binaries.resolve("redis-" + VERSION), PRODUCT)
        .executable(
            "redis-server-%s-%s".formatted(VERSION, Platform.current().redis()), "redis-server")
        .resolve("redis-server");
  }

  Blueprint prepare() {
    var executable = executable(binaries);
    try {
      Files.createDirectories(folder);
      Files.writeString(folder.resolve("redis.conf"), configuration());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot prepare Redis in " + folder, e);
    }
    var command = List.of(executable.toString(), folder.resolve("redis.conf").toString());
    return new Blueprint(PRODUCT, command, folder, Signal.TERM, _ -> isReady());
  }

  /// `set-proc-title no` keeps the folder on the command line, by which we know an orphan.
  private String configuration() {
    return """
    bind 127.0.0.1
    port %d
    dir "%s"
    set-proc-title no
    maxmemory-policy noeviction
    appendonly yes
    appendfsync everysec
    save ""
    enable-debug-command no
    enable-module-command no
    enable-protected-configs no
    """
        .formatted(port, folder.toString().replace("\\", "\\\\").replace("\"", "\\\""));
  }

  /// A server that still loads its file takes connections, but answers LOADING.
  private boolean isReady() {
    try (var socket = new Socket()) {
      socket.connect(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), port), PROBE_TIMEOUT_MS);
      socket.setSoTimeout(PROBE_TIMEOUT_MS);
      socket.getOutputStream().write(PING);
      return Arrays.equals(socket.getInputStream().readNBytes(PONG.length), PONG);
    } catch (IOException e) {
      return false;
    }
  }
}
