package io.holdfast.load;

import java.time.Duration;
import java.util.List;

/// When the requests of a run are due.
public interface Pace {

  /// The moment at which a request is due, in nanoseconds of the run. A request is sent when it is
  /// due and a connection is free.
  ///
  /// @param count requests that were due before it
  /// @param now in nanoseconds of the run
  long due(long count, long now);

  /// The end of the run. No request is sent after it.
  Duration end();

  /// A closed loop: every connection sends its next request as soon as it has an answer.
  static Pace closed(Duration end) {
    return new Pace() {
      @Override
      public long due(long count, long now) {
        return now;
      }

      @Override
      public Duration end() {
        return end;
      }
    };
  }

  /// An open loop: requests are due at a steady rate, whether the earlier ones are answered or not.
  /// The phases follow one another.
  static Pace open(List<Phase> phases) {
    return new OpenPace(phases);
  }

  /// A part of an open loop.
  record Phase(double perSecond, Duration time) {}
}
