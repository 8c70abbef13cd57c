package io.holdfast.journal;

import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;

/// Measures the requests per second of this instance, so that background work can yield to them.
@Singleton
public final class RequestRate {
  private static final Duration INTERVAL = Duration.ofMillis(100);

  private final LongAdder requests = new LongAdder();
  private long since = System.nanoTime();
  private double perSecond;

  /// Called for each request.
  public void count() {
    requests.increment();
  }

  /// The average since the previous measurement, which was at least 100 ms ago.
  synchronized double perSecond() {
    var nanos = System.nanoTime() - since;
    if (nanos >= INTERVAL.toNanos()) {
      perSecond = requests.sumThenReset() * 1e9 / nanos;
      since += nanos;
    }
    return perSecond;
  }
}
