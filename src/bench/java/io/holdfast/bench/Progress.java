package io.holdfast.bench;

import java.time.Duration;

/// Prints the current step and the elapsed time.
final class Progress {
  private static final long START = System.nanoTime();

  private Progress() {}

  static void say(String format, Object... values) {
    var since = Duration.ofNanos(System.nanoTime() - START);
    System.out.printf(
        "%d:%02d  %s%n", since.toMinutes(), since.toSecondsPart(), format.formatted(values));
  }
}
