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

/// `run.json`: pids and addresses, for scripts and tests. It is written when requests are accepted
/// and after the restart of a server, and deleted when the service stops.
final class RunFile {
  private final Path path;

  RunFile(DataFolder folder) {
    this.path = folder.path().resolve("run.json");
  }

  /// Replaces the file atomically. Only its owner may read it, because it has the Postgres
  /// password.
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

  /// The JDBC URL of the service that runs on this folder; empty if none runs.
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

  /// The pids are null for servers that the service did not start.
  @Serdeable
  record Content(
      long pid,
      String http,
      String redis,
      String jdbc,
      @Nullable Long redisPid,
      @Nullable Long postgresPid) {}
}
