package io.holdfast.testing;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A database on a file system of its own that is small enough to be filled: a tablespace on a
/// tmpfs. The write-ahead log of Postgres is not on it. Only root can mount one, and only for a
/// Postgres of this machine; elsewhere the test is skipped.
public final class SmallDisk implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SmallDisk.class);
  private static final int SIZE_MB = 48;
  private static final int BLOCK = 1_024;
  private static final String FILLER = "filler";

  private final TestServers servers;
  private final Path folder;
  private final String name = "small_" + UUID.randomUUID().toString().replace('-', '_');

  private SmallDisk(TestServers servers, Path folder) {
    this.servers = servers;
    this.folder = folder;
  }

  public static SmallDisk under(TestServers servers) {
    try {
      var owner = Files.getAttribute(dataOf(servers), "unix:uid");
      var folder = Files.createTempDirectory(Folders.build(), "small-disk");
      var isMounted =
          run("mount", "-t", "tmpfs", "-o", "size=" + SIZE_MB + "m,mode=0700", "tmpfs", folder);
      if (!isMounted) {
        Files.delete(folder);
      }
      assumeTrue(isMounted, "only root can mount a small file system; the full disk is not tested");
      Files.setAttribute(folder, "unix:uid", owner);
      var disk = new SmallDisk(servers, folder);
      disk.create();
      return disk;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public String jdbcUrl() {
    return servers.jdbcUrl().replaceFirst("/[^/?]+\\?", "/" + name + "?");
  }

  /// Until not even a byte fits any more.
  public void fill() {
    try (var out = Files.newOutputStream(folder.resolve(FILLER))) {
      var block = new byte[BLOCK];
      for (var written = 0; written < SIZE_MB << 20; written += BLOCK) {
        out.write(block);
      }
      throw new IllegalStateException("the disk is larger than " + SIZE_MB + " MB");
    } catch (IOException e) {
      LOG.debug("the disk is full, as it should be", e);
    }
  }

  public void empty() {
    try {
      Files.delete(folder.resolve(FILLER));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    execute("DROP DATABASE " + name + " WITH (FORCE)", "DROP TABLESPACE " + name);
    run("umount", folder);
    try {
      Files.delete(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void create() {
    execute(
        "CREATE TABLESPACE %s LOCATION '%s'".formatted(name, folder),
        "CREATE DATABASE %1$s TABLESPACE %1$s".formatted(name));
  }

  private void execute(String... statements) {
    try (var connection = servers.connection();
        var statement = connection.createStatement()) {
      for (var each : statements) {
        statement.execute(each);
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Path dataOf(TestServers servers) {
    try (var connection = servers.connection();
        var rows = connection.createStatement().executeQuery("SHOW data_directory")) {
      rows.next();
      var folder = Path.of(rows.getString(1));
      assumeTrue(Files.isDirectory(folder), "Postgres is elsewhere; the full disk is not tested");
      return folder;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean run(Object... words) {
    try {
      var command = List.of(words).stream().map(String::valueOf).toList();
      var process = new ProcessBuilder(command).redirectErrorStream(true).start();
      process.getInputStream().readAllBytes();
      return process.waitFor() == 0;
    } catch (IOException e) {
      return false; // no such program
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
