package io.holdfast.app;

import io.holdfast.embedded.DataFolder;
import io.micronaut.serde.ObjectMapper;
import io.micronaut.serde.annotation.Serdeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// `run.json`: what runs where, for scripts and tests. It appears when requests are accepted, names
/// other pids after a server was restarted, and goes with the service.
final class RunFile {
  private final Path path;

  RunFile(DataFolder folder) {
    this.path = folder.path().resolve("run.json");
  }

  /// Replaces the file in one step; only its owner may read it, for it holds the way into Postgres.
  void write(Content content, ObjectMapper json) {
    var part = path.resolveSibling("run.json.part");
    try {
      Files.deleteIfExists(part);
      Files.createFile(
          part, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      Files.write(part, json.writeValueAsBytes(content));
      Files.move(part, path, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write " + path, e);
    }
  }

  void delete() {
    try {
      Files.deleteIfExists(path);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot delete " + path, e);
    }
  }

  /// Where the service that runs on this folder has its Postgres; empty if none runs.
  static Optional<String> postgresOf(Path folder) {
    var file = folder.resolve("run.json");
    try {
      if (Files.notExists(file)) {
        return Optional.empty();
      }
      var content = ObjectMapper.getDefault().readValue(Files.readAllBytes(file), Content.class);
      var isAlive = ProcessHandle.of(content.pid).filter(ProcessHandle::isAlive).isPresent();
      return isAlive ? Optional.of(content.jdbc) : Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + file, e);
    }
  }

  static @Nullable Long orNull(OptionalLong pid) {
    return pid.isPresent() ? pid.getAsLong() : null;
  }

  /// The pids are null for servers that we did not start.
  @Serdeable
  record Content(
      long pid,
      String http,
      String redis,
      String jdbc,
      @Nullable Long redisPid,
      @Nullable Long postgresPid) {}
}
