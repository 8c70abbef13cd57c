package io.holdfast.embedded;

import io.holdfast.runtime.StartFailure;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One run of a server from its launch to its end. Also ends a server that an earlier run left
/// behind.
final class ServerRun {
  private static final Logger LOG = LoggerFactory.getLogger(ServerRun.class);
  private static final Duration READY_TIMEOUT = Duration.ofSeconds(60);
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(10);
  private static final Duration ZOMBIE_TIMEOUT = Duration.ofSeconds(5);
  private static final Duration POLL = Duration.ofMillis(5);
  private static final int LOG_BYTES_MAX = 4 << 20;

  /// The shell writes its own pid, which `exec` keeps for the server, so no server runs without a
  /// pid file even if this process is killed. A process group of its own keeps Ctrl-C at the
  /// terminal from ending the server before the service has stopped.
  private static final String LAUNCH =
      """
      echo $$ > "$0" || exit
      if command -v setsid >/dev/null; then exec setsid "$@"; fi
      if command -v perl >/dev/null; then exec perl -e 'setpgrp(0, 0); exec @ARGV' "$@"; fi
      exec "$@"
      """;

  private final ServerSpec spec;
  private final Process process;

  private ServerRun(ServerSpec spec, Process process) {
    this.spec = spec;
    this.process = process;
  }

  static ServerRun launch(ServerSpec spec) {
    try {
      truncateLog(spec);
      spec.beforeRun().run();
      var command =
          new ArrayList<>(List.of("sh", "-c", LAUNCH, spec.identity().pidFile().toString()));
      command.addAll(spec.command());
      var process =
          new ProcessBuilder(command)
              .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.appendTo(spec.identity().log().toFile()))
              .start();
      return new ServerRun(spec, process);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start " + spec.name(), e);
    }
  }

  /// Ends a server of this folder that an earlier, killed run left behind.
  static void endOrphan(ServerSpec spec) {
    orphan(spec.identity())
        .ifPresent(
            process -> {
              LOG.info(
                  "{} of an earlier run is still running (pid {}); ending it",
                  spec.name(),
                  process.pid());
              end(process, spec.stop());
            });
  }

  void awaitReady(BooleanSupplier isStopping) {
    var deadline = System.nanoTime() + READY_TIMEOUT.toNanos();
    while (!spec.isReady().test(process.pid())) {
      if (!process.isAlive()) {
        throw failed("ended with code " + process.exitValue());
      }
      if (isStopping.getAsBoolean() || System.nanoTime() > deadline) {
        stop();
        throw failed("was not ready after " + READY_TIMEOUT.toSeconds() + " s");
      }
      pause();
    }
  }

  long pid() {
    return process.pid();
  }

  int exitCode() {
    return process.exitValue();
  }

  void onExit(Runnable action) {
    process.onExit().thenRun(action);
  }

  void stop() {
    end(process.toHandle(), spec.stop());
  }

  /// A killed process may stay in the process table for a moment without a command line, and a
  /// server that finds its pid there takes it for alive.
  private static void awaitZombie(ProcessHandle process) {
    var deadline = System.nanoTime() + ZOMBIE_TIMEOUT.toNanos();
    while (process.isAlive()
        && process.info().commandLine().isEmpty()
        && System.nanoTime() < deadline) {
      pause();
    }
  }

  /// The server of this identity that an earlier, killed run left behind.
  static Optional<ProcessHandle> orphan(ServerIdentity identity) {
    try {
      if (Files.notExists(identity.pidFile())) {
        return Optional.empty();
      }
      var pid = Files.readString(identity.pidFile()).strip();
      if (!pid.matches("\\d{1,18}")) {
        return Optional.empty(); // the run was killed while it wrote the file
      }
      var process = ProcessHandle.of(Long.parseLong(pid));
      process.ifPresent(ServerRun::awaitZombie);
      return process.filter(identity::describes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void end(ProcessHandle process, Signal stop) {
    for (var signal : List.of(stop, Signal.QUIT, Signal.KILL)) {
      if (!process.isAlive()) {
        return;
      }
      signal.send(process);
      if (hasEnded(process)) {
        return;
      }
      LOG.warn(
          "Process {} still runs {} s after {}", process.pid(), STOP_TIMEOUT.toSeconds(), signal);
    }
  }

  private static boolean hasEnded(ProcessHandle process) {
    try {
      process.onExit().get(STOP_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (ExecutionException | TimeoutException e) {
      return !process.isAlive();
    }
  }

  private StartFailure failed(String how) {
    return new StartFailure(
        "%s %s; its last line of output was \"%s\" (all output is in %s)."
            .formatted(spec.name(), how, lastLine(), spec.identity().log()));
  }

  private String lastLine() {
    try (var lines = Files.lines(spec.identity().log())) {
      return lines.filter(line -> !line.isBlank()).reduce("", (_, last) -> last).strip();
    } catch (IOException | UncheckedIOException e) {
      return "";
    }
  }

  private static void truncateLog(ServerSpec spec) throws IOException {
    if (Files.exists(spec.identity().log()) && Files.size(spec.identity().log()) > LOG_BYTES_MAX) {
      Files.delete(spec.identity().log());
    }
  }

  private static void pause() {
    try {
      TimeUnit.NANOSECONDS.sleep(POLL.toNanos());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StartFailure("The start was interrupted.", e);
    }
  }
}
