package io.holdfast.embedded;

import io.holdfast.runtime.StartFailure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// PostgreSQL in the data folder: where its files are, how it is made and run, and when it is
/// ready. Everything that could lose a committed row is switched on explicitly.
final class EmbeddedPostgres {
  private static final Logger LOG = LoggerFactory.getLogger(EmbeddedPostgres.class);
  static final String PRODUCT = "PostgreSQL " + BundledVersions.POSTGRES;
  private static final String USER = "holdfast";
  private static final String DATABASE = "holdfast";
  private static final int READY_LINE = 7;

  private final DataFolder home;
  private final Path folder;
  private final Path binaries;
  private final int port;
  private final PrivilegeDrop way;

  /// Any user of this machine reaches the port, and a superuser of Postgres can do what we can do.
  private final PasswordFile password;

  EmbeddedPostgres(DataFolder home, Path binaries, int port, PrivilegeDrop way) {
    this.home = home;
    this.folder = home.resolve("postgres");
    this.binaries = binaries;
    this.port = port;
    this.way = way;
    this.password = password(home.resolve("postgres.password"));
  }

  String url() {
    return "jdbc:postgresql://127.0.0.1:%d/%s?user=%s&password=%s"
        .formatted(port, DATABASE, USER, password.value());
  }

  /// Unpacks the binaries and makes the cluster of databases, where that has not been done yet.
  ServerSpec prepare() {
    var installation =
        new BinaryExtractor(binaries.resolve("postgres-" + BundledVersions.POSTGRES), PRODUCT)
            .archive("postgres-%s.txz".formatted(Platform.current().postgres()));
    try {
      way.own(installation);
      way.own(folder);
      way.own(password.file());
      way.open(home.path());
      if (Files.notExists(folder)) {
        create(installation);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot prepare PostgreSQL in " + folder, e);
    }
    return new ServerSpec(
        PRODUCT,
        command(installation),
        folder,
        folder.toString(),
        this::disownStalePid,
        Signal.INT,
        this::isReady);
  }

  private PasswordFile password(Path file) {
    if (Files.exists(folder) && Files.notExists(file)) {
      throw new StartFailure(
          "The database in %s is there, but its password in %s is gone; bring that file back, or move the database away to start with an empty one."
              .formatted(folder, file));
    }
    return PasswordFile.in(file);
  }

  /// After a crash of the whole machine or container, the pid that the server has left in its file
  /// may belong to anybody, and the server would not start for ever. It does not mind the pid of
  /// its own parent; the rest of the file, which guards against old backends, stays.
  private void disownStalePid() {
    var file = folder.resolve("postmaster.pid");
    try {
      var lines = Files.exists(file) ? Files.readAllLines(file) : List.<String>of();
      if (!lines.isEmpty()) {
        var ours = new ArrayList<>(lines);
        ours.set(0, Long.toString(ProcessHandle.current().pid()));
        Files.write(file, ours);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot mend " + file, e);
    }
  }

  private void create(Path installation) throws IOException {
    LOG.info("Making the database (first start only)");
    var part = home.resolve("postgres.part-" + ProcessHandle.current().pid());
    deleteLeftovers();
    Files.createDirectory(part);
    DataFolder.makePrivate(part);
    way.own(part);
    run(
        installation,
        List.of(
            "initdb",
            "--pgdata=" + part,
            "--username=" + USER,
            "--pwfile=" + password.file(),
            "--auth=scram-sha-256",
            "--encoding=UTF8",
            "--locale-provider=builtin",
            "--locale=C.UTF-8",
            "--no-instructions"),
        "");
    run(
        installation,
        List.of("postgres", "--single", "-D", part.toString(), "postgres"),
        "CREATE DATABASE " + DATABASE + "\n");
    Files.move(part, folder, StandardCopyOption.ATOMIC_MOVE);
  }

  /// A start that was killed while it made the database leaves a part of it behind, and perhaps an
  /// initdb that still writes there. Ours has another name; what resists now goes next time.
  private void deleteLeftovers() throws IOException {
    try (var parts = Files.newDirectoryStream(home.path(), "postgres.part-*")) {
      for (var part : parts) {
        BinaryExtractor.delete(part);
      }
    } catch (DirectoryIteratorException | DirectoryNotEmptyException | NoSuchFileException e) {
      LOG.debug("an earlier initdb is still at work, its part stays for now", e);
    }
  }

  private void run(Path installation, List<String> program, String input) throws IOException {
    var log = home.resolve("postgres.log").toFile();
    var process =
        new ProcessBuilder(commandLine(installation, program))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log))
            .start();
    try (var out = process.outputWriter()) {
      out.write(input);
    }
    try {
      if (!process.waitFor(2, TimeUnit.MINUTES) || process.exitValue() != 0) {
        process.destroyForcibly();
        throw new IOException(program.getFirst() + " failed, see " + log);
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new IOException(program.getFirst() + " was interrupted", e);
    }
  }

  private List<String> command(Path installation) {
    var settings =
        List.of(
            "listen_addresses=127.0.0.1",
            "unix_socket_directories=",
            "fsync=on",
            "synchronous_commit=on",
            "full_page_writes=on",
            "max_connections=200",
            "logging_collector=off");
    var program = new ArrayList<>(List.of("postgres", "-D", folder.toString(), "-p", "" + port));
    settings.forEach(setting -> program.addAll(List.of("-c", setting)));
    return commandLine(installation, program);
  }

  private List<String> commandLine(Path installation, List<String> program) {
    var line = new ArrayList<>(way.prefix());
    line.add(installation.resolve("bin").resolve(program.getFirst()).toString());
    line.addAll(program.subList(1, program.size()));
    return line;
  }

  /// The server writes its state into its pid file; asking there needs no connection.
  private boolean isReady(long pid) {
    try {
      var lines = Files.readAllLines(folder.resolve("postmaster.pid"));
      return lines.size() > READY_LINE
          && lines.getFirst().strip().equals(Long.toString(pid))
          && lines.get(READY_LINE).strip().equals("ready");
    } catch (IOException e) {
      return false; // not written yet
    }
  }
}
