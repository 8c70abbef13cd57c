package io.holdfast.bench;

import io.holdfast.load.Answer;
import io.holdfast.load.LoadListener;
import java.time.Duration;

/// Finds out when the service is back to normal behind a flood. A window of time is normal if
/// nearly all requests that were due in it were served soon. The service is back to normal with the
/// first of some normal windows in a row.
final class Recovery implements LoadListener {
  /// The observed time.
  static final Duration WATCHED = Duration.ofSeconds(6);

  private static final long WINDOW_NANOS = Duration.ofMillis(250).toNanos();
  private static final long SOON_NANOS = Duration.ofMillis(250).toNanos();
  private static final double NEARLY_ALL = 0.99;
  private static final int IN_A_ROW = 3;

  private final long from;
  private final long[] all = new long[(int) (WATCHED.toNanos() / WINDOW_NANOS)];
  private final long[] servedSoon = new long[all.length];

  /// @param from the end of the flood
  Recovery(Duration from) {
    this.from = from.toNanos();
  }

  @Override
  public void answered(Answer answer, long due, long now) {
    var window = (int) ((due - from) / WINDOW_NANOS);
    if (due >= from && window < all.length) {
      all[window]++;
      if (answer == Answer.GOOD && now - due <= SOON_NANOS) {
        servedSoon[window]++;
      }
    }
  }

  /// The whole observed time if it never recovered.
  double seconds() {
    var normal = 0;
    for (var window = 0; window < all.length; window++) {
      normal = isNormal(window) ? normal + 1 : 0;
      if (normal == IN_A_ROW) {
        return (window + 1 - IN_A_ROW) * WINDOW_NANOS / 1e9;
      }
    }
    return WATCHED.toMillis() / 1e3;
  }

  private boolean isNormal(int window) {
    return all[window] > 0 && servedSoon[window] >= all[window] * NEARLY_ALL;
  }
}
