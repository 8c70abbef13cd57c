package io.holdfast.embedded;

import io.holdfast.runtime.StartFailure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;

/// The folder that one instance owns while it runs: the servers' data and `run.json`. Its lock is a
/// file lock of the operating system, which ends with the process.
public final class DataFolder implements AutoCloseable {
  private final Path path;
  private final FileChannel lock;

  private DataFolder(Path path, FileChannel lock) {
    this.path = path;
    this.lock = lock;
  }

  /// Creates the folder if necessary and locks it, or fails with the pid of its owner.
  public static DataFolder take(Path folder) {
    var path = folder.toAbsolutePath().normalize();
    try {
      if (Files.notExists(path)) {
        Files.createDirectories(path);
        makePrivate(path);
      }
      path =
          path.toRealPath(); // its servers are identified by this path, also if a later run uses a
      // link
      var channel =
          FileChannel.open(
              path.resolve("lock"),
              StandardOpenOption.CREATE,
              StandardOpenOption.READ,
              StandardOpenOption.WRITE);
      if (!tryLock(channel)) {
        var owner = read(channel);
        channel.close();
        throw new StartFailure(
            "The data folder %s is in use by another Holdfast (pid %s); stop that one, or set HOLDFAST_DATA to another folder."
                .formatted(path, owner));
      }
      write(channel, Long.toString(ProcessHandle.current().pid()));
      return new DataFolder(path, channel);
    } catch (IOException e) {
      throw new StartFailure(
          "The data folder %s cannot be used (%s); set HOLDFAST_DATA to a folder that can be written."
              .formatted(path, e),
          e);
    }
  }

  public Path path() {
    return path;
  }

  /// A secret that belongs to the data in this folder. It is generated once and kept in the file
  /// `name`, which only its owner can read.
  public String secret(String name) {
    return PasswordFile.in(resolve(name)).value();
  }

  Path resolve(String name) {
    return path.resolve(name);
  }

  @Override
  public void close() {
    try {
      lock.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Other users of the machine must not read the data of the servers.
  static void makePrivate(Path path) throws IOException {
    var rights = Files.isDirectory(path) ? "rwx------" : "rw-------";
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(rights));
  }

  private static boolean tryLock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock() != null;
    } catch (OverlappingFileLockException e) {
      return false; // held by another instance in this process, as in tests
    }
  }

  private static void write(FileChannel channel, String text) throws IOException {
    channel.truncate(0);
    channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)), 0);
  }

  private static String read(FileChannel channel) throws IOException {
    var buffer = ByteBuffer.allocate(32);
    var length = channel.read(buffer, 0);
    return length <= 0
        ? "unknown"
        : new String(buffer.array(), 0, length, StandardCharsets.US_ASCII);
  }
}
