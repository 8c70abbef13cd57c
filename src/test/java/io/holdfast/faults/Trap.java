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

/// A file that says what is killed when, once. A test lays it out; the first one of all processes
/// that comes to that moment deletes it and kills.
public final class Trap {
  /// Where a service looks for it.
  public static final String SETTING = "holdfast.trap";

  /// In the place of a pid: whoever comes there dies, or stands still for longer than any lease.
  static final long ONESELF = 0;

  static final long STAND_STILL = -1;

  static final Duration STANDSTILL = Duration.ofSeconds(3);

  private static final int KILLED = 137;
  private static final int DEATH_SECONDS_MAX = 10;

  private final Path file;

  public Trap(Path file) {
    this.file = file;
  }

  /// @param pids whom it kills, with all children
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

  /// Whether it was still there.
  boolean takeAway() {
    try {
      return Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Somebody comes to this moment.
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
      return ""; // somebody else was faster
    }
  }

  private static String line(String holdId, Moment moment) {
    return holdId + ": " + moment + ": ";
  }

  private static String words(List<Long> pids) {
    return pids.stream().map(String::valueOf).collect(Collectors.joining(" "));
  }

  /// Nothing is told to anybody or tidied up, and the caller goes on when all are dead.
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
