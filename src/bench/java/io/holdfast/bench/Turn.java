package io.holdfast.bench;

import java.time.Duration;
import org.HdrHistogram.Histogram;

/// The result of one turn.
///
/// @param count answers in the time that counts; `answers` are all of them, in the `whole` time
/// @param driverShare of one core, which the driver itself was busy with
record Turn(
    long count,
    Duration time,
    long answers,
    Duration whole,
    long p50Nanos,
    long p99Nanos,
    double driverShare) {

  static Turn of(Histogram latencies, Duration time, long answers, Duration whole, double share) {
    if (latencies.getTotalCount() == 0) {
      throw new IllegalStateException("a turn of " + time + " without a single answer");
    }
    return new Turn(
        latencies.getTotalCount(),
        time,
        answers,
        whole,
        latencies.getValueAtPercentile(50),
        latencies.getValueAtPercentile(99),
        share);
  }

  double perSecond() {
    return count * 1e9 / time.toNanos();
  }
}
