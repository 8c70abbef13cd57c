package io.holdfast.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// A file that names the processes to kill at one moment, once. A test writes it; the first process
/// that reaches the moment deletes the file and kills.
public final class Trap {
  /// The property with the path of the file.
  public static final String SETTING = "holdfast.test.trap";

  /// Instead of a pid: the process that reaches the moment dies, or pauses longer than any lease.
  static final long ONESELF = 0;

  static final long STAND_STILL = -1;

  static final Duration STANDSTILL = Duration.ofSeconds(3);

  private static final int KILLED = 137;
  private static final int DEATH_SECONDS_MAX = 10;

  private final Path file;

  public Trap(Path file) {
    this.file = file;
  }

  /// @param pids the processes to kill, with all children
  void lay(String holdId, Moment moment, List<Long> pids) {
    try {
      var part = file.resolveSibling(file.getFileName() + ".part");
      Files.writeString(part, line(holdId, moment) + words(pids));
      Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  boolean isLaid() {
    return Files.exists(file);
  }

  /// Returns whether the file still existed.
  boolean takeAway() {
    try {
      return Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Called when a process reaches this moment.
  public void pass(String holdId, Moment moment) {
    var laid = read();
    var line = line(holdId, moment);
    if (laid.startsWith(line) && takeAway()) {
      var pids = laid.substring(line.length()).split(" ");
      kill(Stream.of(pids).map(Long::valueOf).toList());
    }
  }

  private String read() {
    try {
      return isLaid() ? Files.readString(file) : "";
    } catch (IOException e) {
      return ""; // another process was faster
    }
  }

  private static String line(String holdId, Moment moment) {
    return holdId + ": " + moment + ": ";
  }

  private static String words(List<Long> pids) {
    return pids.stream().map(String::valueOf).collect(Collectors.joining(" "));
  }

  /// Kills without a shutdown, and returns when all processes have ended.
  private static void kill(List<Long> pids) {
    var all =
        pids.stream()
            .filter(pid -> pid > ONESELF)
            .flatMap(pid -> ProcessHandle.of(pid).stream())
            .flatMap(process -> Stream.concat(Stream.of(process), process.descendants()))
            .toList();
    all.forEach(ProcessHandle::destroyForcibly);
    if (pids.contains(ONESELF)) {
      Runtime.getRuntime().halt(KILLED);
    }
    if (pids.contains(STAND_STILL)) {
      LockSupport.parkNanos(STANDSTILL.toNanos());
    }
    CompletableFuture.allOf(
            all.stream().map(ProcessHandle::onExit).toArray(CompletableFuture[]::new))
        .orTimeout(DEATH_SECONDS_MAX, TimeUnit.SECONDS)
        .join();
  }
}
