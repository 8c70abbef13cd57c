package io.holdfast.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.IntStream;

/// Figures of the whole machine from /proc of Linux. On other systems they are unknown.
final class Machine {
  static final int PROCESSORS = Runtime.getRuntime().availableProcessors();
  private static final Path STATE = Path.of("/proc/stat");
  private static final int TICKS_A_SECOND = 100;
  private static final int IDLE = 4;
  private static final int WAITING_FOR_DISK = 5;
  private static final int STOLEN = 8; // by other machines on the same host

  private Machine() {}

  /// The busy time of all processors together.
  static Duration busy() {
    if (!Files.isReadable(STATE)) {
      return Duration.ZERO;
    }
    try (var lines = Files.lines(STATE)) {
      var fields = lines.findFirst().orElseThrow().split(" +");
      var ticks =
          IntStream.rangeClosed(1, STOLEN)
              .filter(i -> i != IDLE && i != WAITING_FOR_DISK)
              .mapToLong(i -> Long.parseLong(fields[i]))
              .sum();
      return Duration.ofMillis(ticks * 1_000 / TICKS_A_SECOND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
