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

/// PostgreSQL in the data folder: its files, its creation, its command line and its readiness. All
/// settings that protect committed rows are set explicitly.
final class EmbeddedPostgres {
  private static final Logger LOG = LoggerFactory.getLogger(EmbeddedPostgres.class);
  static final String PRODUCT = "PostgreSQL " + BundledVersions.POSTGRES;
  private static final String PROGRAM = "postgres";
  private static final String USER = "holdfast";
  private static final String DATABASE = "holdfast";
  private static final int READY_LINE = 7;

  private final DataFolder home;
  private final ServerIdentity identity;
  private final Path folder;
  private final Path binaries;
  private final int port;
  private final PrivilegeDrop privileges;

  /// Required, because every user of the machine can connect to the port, and a superuser of
  /// Postgres can run programs as this user.
  private final PasswordFile password;

  EmbeddedPostgres(DataFolder home, Path binaries, int port, PrivilegeDrop privileges) {
    this.home = home;
    this.identity = identity(home, privileges);
    this.folder = identity.folder();
    this.binaries = binaries;
    this.port = port;
    this.privileges = privileges;
    this.password = password(home.resolve("postgres.password"));
  }

  static ServerIdentity identity(DataFolder home, PrivilegeDrop privileges) {
    var folder = home.resolve("postgres");
    var programs = new ArrayList<>(List.of(PROGRAM));
    privileges.prefix().stream().limit(1).forEach(programs::add);
    return new ServerIdentity(folder, List.copyOf(programs), folder.toString());
  }

  String url() {
    return "jdbc:postgresql://127.0.0.1:%d/%s?user=%s&password=%s"
        .formatted(port, DATABASE, USER, password.value());
  }

  /// Unpacks the binaries and creates the database, unless that was done before.
  ServerSpec prepare() {
    var installation =
        new BinaryExtractor(binaries.resolve("postgres-" + BundledVersions.POSTGRES), PRODUCT)
            .archive("postgres-%s.txz".formatted(Platform.current().postgres()));
    try {
      privileges.own(installation);
      privileges.own(folder);
      privileges.own(password.file());
      privileges.open(home.path());
      if (Files.notExists(folder)) {
        create(installation);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot prepare PostgreSQL in " + folder, e);
    }
    return new ServerSpec(
        PRODUCT, identity, command(installation), this::replaceStalePid, Signal.INT, this::isReady);
  }

  private PasswordFile password(Path file) {
    if (Files.exists(folder) && Files.notExists(file)) {
      throw new StartFailure(
          "The database in %s exists, but its password file %s is missing; restore that file, or move the database away to start with an empty one."
              .formatted(folder, file));
    }
    return PasswordFile.in(file);
  }

  /// After a crash of the machine or container, the pid in the server's file may belong to another
  /// process, and the server would never start. It ignores the pid of its own parent, so that is
  /// written instead. The rest of the file stays, because it guards against old backends.
  private void replaceStalePid() {
    var file = folder.resolve("postmaster.pid");
    try {
      var lines = Files.exists(file) ? Files.readAllLines(file) : List.<String>of();
      if (!lines.isEmpty()) {
        var ours = new ArrayList<>(lines);
        ours.set(0, Long.toString(ProcessHandle.current().pid()));
        Files.write(file, ours);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot update " + file, e);
    }
  }

  private void create(Path installation) throws IOException {
    LOG.info("Creating the database (first start only)");
    var part = home.resolve("postgres.part-" + ProcessHandle.current().pid());
    deleteLeftovers();
    Files.createDirectory(part);
    DataFolder.makePrivate(part);
    privileges.own(part);
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
        List.of(PROGRAM, "--single", "-D", part.toString(), "postgres"),
        "CREATE DATABASE " + DATABASE + "\n");
    Files.move(part, folder, StandardCopyOption.ATOMIC_MOVE);
  }

  /// A start that was killed while it created the database leaves a folder behind, and perhaps an
  /// initdb that still writes there. A folder that cannot be deleted now is deleted at the next
  /// start.
  private void deleteLeftovers() throws IOException {
    try (var parts = Files.newDirectoryStream(home.path(), "postgres.part-*")) {
      for (var part : parts) {
        BinaryExtractor.delete(part);
      }
    } catch (DirectoryIteratorException | DirectoryNotEmptyException | NoSuchFileException e) {
      LOG.debug("an earlier initdb still runs; its folder stays for now", e);
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
    var program = new ArrayList<>(List.of(PROGRAM, "-D", identity.marker(), "-p", "" + port));
    settings.forEach(setting -> program.addAll(List.of("-c", setting)));
    return commandLine(installation, program);
  }

  private List<String> commandLine(Path installation, List<String> program) {
    var line = new ArrayList<>(privileges.prefix());
    line.add(installation.resolve("bin").resolve(program.getFirst()).toString());
    line.addAll(program.subList(1, program.size()));
    return line;
  }

  /// The server writes its state into its pid file, so no connection is needed.
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
