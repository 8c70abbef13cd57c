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

/// One run of a server: from its launch to its end, and what a run before ours has left behind.
final class ServerRun {
  private static final Logger LOG = LoggerFactory.getLogger(ServerRun.class);
  private static final Duration READY_PATIENCE = Duration.ofSeconds(60);
  private static final Duration STOP_PATIENCE = Duration.ofSeconds(10);
  private static final Duration BURIAL_PATIENCE = Duration.ofSeconds(5);
  private static final Duration POLL = Duration.ofMillis(5);
  private static final int LOG_BYTES_MAX = 4 << 20;

  /// The shell notes its own pid, which stays the server's through every `exec`: there is no moment
  /// at which we can die and leave a server that nobody knows of. A process group of its own keeps
  /// Ctrl-C at our terminal from reaching the server before we have finished with it.
  private static final String LAUNCH =
      """
      echo $$ > "$0" || exit
      if command -v setsid >/dev/null; then exec setsid "$@"; fi
      if command -v perl >/dev/null; then exec perl -e 'setpgrp(0, 0); exec @ARGV' "$@"; fi
      exec "$@"
      """;

  private final ServerSpec blueprint;
  private final Process process;

  private ServerRun(ServerSpec blueprint, Process process) {
    this.blueprint = blueprint;
    this.process = process;
  }

  static ServerRun launch(ServerSpec blueprint) {
    try {
      truncateLog(blueprint);
      blueprint.beforeRun().run();
      var command = new ArrayList<>(List.of("sh", "-c", LAUNCH, blueprint.pidFile().toString()));
      command.addAll(blueprint.command());
      var process =
          new ProcessBuilder(command)
              .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.appendTo(blueprint.log().toFile()))
              .start();
      return new ServerRun(blueprint, process);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start " + blueprint.name(), e);
    }
  }

  /// Ends what an earlier run has left running on this folder: it died without stopping its child.
  static void endOrphan(ServerSpec blueprint) {
    orphan(blueprint)
        .ifPresent(
            process -> {
              LOG.info(
                  "{} of an earlier run is still there (pid {}); ending it",
                  blueprint.name(),
                  process.pid());
              end(process, blueprint.stop());
            });
  }

  void awaitReady(BooleanSupplier isBrokenOff) {
    var deadline = System.nanoTime() + READY_PATIENCE.toNanos();
    while (!blueprint.isReady().test(process.pid())) {
      if (!process.isAlive()) {
        throw failed("ended with code " + process.exitValue());
      }
      if (isBrokenOff.getAsBoolean() || System.nanoTime() > deadline) {
        stop();
        throw failed("was not ready after " + READY_PATIENCE.toSeconds() + " s");
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
    end(process.toHandle(), blueprint.stop());
  }

  /// A process that was killed may stay in the table for a moment, without a command line, and a
  /// server that sees its pid there takes it for alive.
  private static void awaitBurial(ProcessHandle process) {
    var deadline = System.nanoTime() + BURIAL_PATIENCE.toNanos();
    while (process.isAlive()
        && process.info().commandLine().isEmpty()
        && System.nanoTime() < deadline) {
      pause();
    }
  }

  private static Optional<ProcessHandle> orphan(ServerSpec blueprint) {
    try {
      if (Files.notExists(blueprint.pidFile())) {
        return Optional.empty();
      }
      var pid = Files.readString(blueprint.pidFile()).strip();
      if (!pid.matches("\\d{1,18}")) {
        return Optional.empty(); // killed while it was written
      }
      var process = ProcessHandle.of(Long.parseLong(pid));
      process.ifPresent(ServerRun::awaitBurial);
      return process.filter(blueprint::describes);
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
          "Process {} still runs {} s after {}", process.pid(), STOP_PATIENCE.toSeconds(), signal);
    }
  }

  private static boolean hasEnded(ProcessHandle process) {
    try {
      process.onExit().get(STOP_PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
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
        "%s %s; its last words were \"%s\" (all of them are in %s)."
            .formatted(blueprint.name(), how, lastWords(), blueprint.log()));
  }

  private String lastWords() {
    try (var lines = Files.lines(blueprint.log())) {
      return lines.filter(line -> !line.isBlank()).reduce("", (_, last) -> last).strip();
    } catch (IOException | UncheckedIOException e) {
      return "";
    }
  }

  private static void truncateLog(ServerSpec blueprint) throws IOException {
    if (Files.exists(blueprint.log()) && Files.size(blueprint.log()) > LOG_BYTES_MAX) {
      Files.delete(blueprint.log());
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
