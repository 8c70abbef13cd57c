package io.holdfast.bench;

import java.util.function.DoubleSupplier;

/// Uncounted turns until the JIT compiler has done its work. Code that runs once for many callers
/// is compiled late: sales became faster for about fifteen turns.
final class WarmUp {
  private static final int TURNS_MAX = 24;
  private static final int WITHOUT_A_GAIN = 5;
  private static final double GAIN = 1.02;

  private WarmUp() {}

  /// Until so many turns in a row were hardly faster than the best before them; one alone may have
  /// been slow for any reason.
  static void of(String what, DoubleSupplier speedOfATurn) {
    var best = 0.0;
    for (int turn = 1, slow = 0; turn <= TURNS_MAX && slow < WITHOUT_A_GAIN; turn++) {
      var speed = speedOfATurn.getAsDouble();
      Progress.say("warm-up %d: %.0f %s/s", turn, speed, what);
      slow = speed > best * GAIN ? 0 : slow + 1;
      best = Math.max(best, speed);
    }
  }
}
