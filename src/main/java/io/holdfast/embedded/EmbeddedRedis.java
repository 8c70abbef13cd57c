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

/// Redis in the data folder. It writes every change to its append-only file and never evicts; what
/// could be turned against the machine (debug, modules, other folders) is shut.
final class EmbeddedRedis {
  static final String PRODUCT = "Redis " + BundledVersions.REDIS;
  private static final int PROBE_TIMEOUT_MS = 200;
  private static final byte[] QUESTION =
      "INFO server persistence\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final int ANSWER_BYTES_MAX = 8 << 10;

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
    return new BinaryExtractor(binaries.resolve("redis-" + BundledVersions.REDIS), PRODUCT)
        .executable(
            "redis-server-%s-%s".formatted(BundledVersions.REDIS, Platform.current().redis()),
            "redis-server")
        .resolve("redis-server");
  }

  ServerSpec prepare() {
    var executable = executable(binaries);
    try {
      Files.createDirectories(folder);
      Files.writeString(folder.resolve("redis.conf"), configuration());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot prepare Redis in " + folder, e);
    }
    var configuration = folder.resolve("redis.conf").toString();
    return new ServerSpec(
        PRODUCT,
        List.of(executable.toString(), configuration),
        folder,
        configuration,
        () -> {},
        Signal.TERM,
        this::isReady);
  }

  /// `set-proc-title no` keeps the folder on the command line, by which we know an orphan. Most of
  /// the append-only file is journal that Postgres has already: rewriting it from 64 MB on, as is
  /// the default, took a fifth of all the processor time of Redis under load.
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

  /// A server that still loads its file takes connections and answers this question, but no other;
  /// and one that is not ours may have taken the port.
  private boolean isReady(long pid) {
    try (var socket = new Socket()) {
      socket.connect(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), port), PROBE_TIMEOUT_MS);
      socket.setSoTimeout(PROBE_TIMEOUT_MS);
      socket.getOutputStream().write(QUESTION);
      var answer = answer(socket);
      return answer.contains("process_id:" + pid + "\r") && answer.contains("\nloading:0\r");
    } catch (IOException e) {
      return false;
    }
  }

  /// Reads until the answer has named the process and told how far it is, or is none.
  private static String answer(Socket socket) throws IOException {
    var answer = new StringBuilder();
    var buffer = new byte[ANSWER_BYTES_MAX];
    int length;
    while (answer.length() < ANSWER_BYTES_MAX
        && (length = socket.getInputStream().read(buffer)) > 0) {
      answer.append(new String(buffer, 0, length, StandardCharsets.US_ASCII));
      if (answer.charAt(0) != '$' || answer.indexOf("rdb_changes_since_last_save:") > 0) {
        break;
      }
    }
    return answer.toString();
  }
}
