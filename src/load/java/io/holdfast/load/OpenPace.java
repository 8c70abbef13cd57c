package io.holdfast.load;

import java.time.Duration;
import java.util.List;

/// Requests at one steady rate after the other.
final class OpenPace implements Pace {
  private static final double NANOS_A_SECOND = 1e9;

  private final List<Phase> phases;
  private final Duration end;

  OpenPace(List<Phase> phases) {
    this.phases = List.copyOf(phases);
    this.end = phases.stream().map(Phase::time).reduce(Duration.ZERO, Duration::plus);
  }

  @Override
  public long due(long count, long now) {
    var left = count;
    var start = 0L;
    for (var phase : phases) {
      var requests = (long) (phase.perSecond() * phase.time().toNanos() / NANOS_A_SECOND);
      if (left < requests) {
        return start + (long) (left * NANOS_A_SECOND / phase.perSecond());
      }
      left -= requests;
      start += phase.time().toNanos();
    }
    return Long.MAX_VALUE;
  }

  @Override
  public Duration end() {
    return end;
  }
}
