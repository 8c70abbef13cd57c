package io.holdfast.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// The redis-server that the service under test starts: the embedded one, or the one that the
/// environment variable `REDIS_SERVER` names. Both run with the configuration of the embedded one.
///
/// @param program empty for the embedded one
record RedisBinary(String program) {
  private static final String SETTING = "REDIS_SERVER";
  private static final Path EMBEDDED = Launch.BUILD.resolve("servers");
  private static final Path OWN = Launch.BUILD.resolve("bench/servers");

  static RedisBinary given() {
    return new RedisBinary(System.getenv().getOrDefault(SETTING, ""));
  }

  boolean isEmbedded() {
    return program.isEmpty();
  }

  /// The folder in which the service finds its servers. A server that is unpacked there is not
  /// unpacked again, so another one in its place is started instead.
  Path servers() {
    if (program.isEmpty()) {
      return EMBEDDED;
    }
    try (var embedded = Files.list(EMBEDDED)) {
      for (var server : embedded.filter(Files::isDirectory).toList()) {
        putInPlace(server);
      }
      return OWN;
    } catch (IOException e) {
      throw new UncheckedIOException("run ./gradlew installDist first", e);
    }
  }

  private void putInPlace(Path server) throws IOException {
    var folder = OWN.resolve(server.getFileName());
    if (isRedis(server)) {
      Files.createDirectories(folder);
      link(folder.resolve("redis-server"), Path.of(program).toRealPath());
    } else {
      Files.createDirectories(OWN);
      link(folder, server);
    }
  }

  private static void link(Path link, Path target) throws IOException {
    Files.deleteIfExists(link);
    Files.createSymbolicLink(link, target);
  }

  /// Its name in the report.
  String describe() {
    var which = program.isEmpty() ? "the embedded redis-server" : program;
    return "%s (%s)".formatted(which, version());
  }

  private String version() {
    try {
      var process =
          new ProcessBuilder(List.of(executable(), "--version")).redirectErrorStream(true).start();
      try (var out = process.getInputStream()) {
        return new String(out.readAllBytes(), StandardCharsets.UTF_8).strip();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String executable() throws IOException {
    if (!program.isEmpty()) {
      return program;
    }
    try (var servers = Files.list(EMBEDDED)) {
      return servers
          .filter(Files::isDirectory)
          .filter(RedisBinary::isRedis)
          .map(folder -> folder.resolve("redis-server").toString())
          .findFirst()
          .orElseThrow();
    }
  }

  private static boolean isRedis(Path folder) {
    return folder.getFileName().toString().startsWith("redis-");
  }
}
