package io.holdfast.journal;

import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;

/// How many calls this instance serves, so that work in the background can make room for them.
@Singleton
public final class RequestRate {
  private static final Duration SPAN = Duration.ofMillis(100);

  private final LongAdder calls = new LongAdder();
  private long since = System.nanoTime();
  private double perSecond;

  /// To be told of each call; costs next to nothing.
  public void count() {
    calls.increment();
  }

  /// Over the last tenth of a second, or for as long as nobody has asked.
  synchronized double perSecond() {
    var nanos = System.nanoTime() - since;
    if (nanos >= SPAN.toNanos()) {
      perSecond = calls.sumThenReset() * 1e9 / nanos;
      since += nanos;
    }
    return perSecond;
  }
}
