package io.holdfast.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// Redis in the data folder. It writes every change to its append-only file and never evicts keys.
/// Commands that could harm the machine (debug, modules, protected settings) are disabled.
final class EmbeddedRedis {
  static final String PRODUCT = "Redis " + BundledVersions.REDIS;
  private static final int PROBE_TIMEOUT_MS = 200;
  private static final byte[] INFO_COMMAND =
      "INFO server persistence\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final int REPLY_BYTES_MAX = 8 << 10;

  private static final String PROGRAM = "redis-server";
  private static final String CONFIGURATION = "redis.conf";

  private final ServerIdentity identity;
  private final Path folder;
  private final Path binaries;
  private final int port;

  EmbeddedRedis(DataFolder home, Path binaries, int port) {
    this.identity = identity(home);
    this.folder = identity.folder();
    this.binaries = binaries;
    this.port = port;
  }

  String uri() {
    return "redis://127.0.0.1:" + port;
  }

  /// The program, which is unpacked first if necessary.
  static Path executable(Path binaries) {
    return new BinaryExtractor(binaries.resolve("redis-" + BundledVersions.REDIS), PRODUCT)
        .executable(
            "redis-server-%s-%s".formatted(BundledVersions.REDIS, Platform.current().redis()),
            PROGRAM)
        .resolve(PROGRAM);
  }

  static ServerIdentity identity(DataFolder home) {
    var folder = home.resolve("redis");
    var configuration = folder.resolve(CONFIGURATION).toString();
    return new ServerIdentity(folder, List.of(PROGRAM), configuration);
  }

  ServerSpec prepare() {
    var executable = executable(binaries);
    try {
      Files.createDirectories(folder);
      Files.writeString(folder.resolve(CONFIGURATION), configuration());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot prepare Redis in " + folder, e);
    }
    return new ServerSpec(
        PRODUCT,
        identity,
        List.of(executable.toString(), identity.marker()),
        () -> {},
        Signal.TERM,
        this::isReady);
  }

  /// `set-proc-title no` keeps the folder on the command line, which identifies a server left
  /// behind. Most of the append-only file is journal that Postgres already has: with the default of
  /// 64 MB its rewriting took a fifth of the processor time of Redis under load.
  private String configuration() {
    return """
    bind 127.0.0.1
    port %d
    dir "%s"
    set-proc-title no
    maxmemory-policy noeviction
    appendonly yes
    appendfsync everysec
    auto-aof-rewrite-min-size 256mb
    save ""
    enable-debug-command no
    enable-module-command no
    enable-protected-configs no
    """
        .formatted(port, folder.toString().replace("\\", "\\\\").replace("\"", "\\\""));
  }

  /// A server that still loads its file accepts connections, but replies to INFO only. The pid is
  /// compared, because another server may have taken the port.
  private boolean isReady(long pid) {
    try (var socket = new Socket()) {
      socket.connect(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), port), PROBE_TIMEOUT_MS);
      socket.setSoTimeout(PROBE_TIMEOUT_MS);
      socket.getOutputStream().write(INFO_COMMAND);
      var reply = reply(socket);
      return reply.contains("process_id:" + pid + "\r") && reply.contains("\nloading:0\r");
    } catch (IOException e) {
      return false;
    }
  }

  /// Reads until the reply has the pid and the state of loading, or is an error.
  private static String reply(Socket socket) throws IOException {
    var reply = new StringBuilder();
    var buffer = new byte[REPLY_BYTES_MAX];
    int length;
    while (reply.length() < REPLY_BYTES_MAX
        && (length = socket.getInputStream().read(buffer)) > 0) {
      reply.append(new String(buffer, 0, length, StandardCharsets.US_ASCII));
      if (reply.charAt(0) != '$' || reply.indexOf("rdb_changes_since_last_save:") > 0) {
        break;
      }
    }
    return reply.toString();
  }
}
