package io.holdfast.load;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import org.HdrHistogram.Histogram;

/// Counts the answers of a run. Numbers of answers are those of the whole run; speeds and latencies
/// are those of the time between the run-in and the end.
public final class LoadCount implements LoadListener {
  private static final long LATENCY_NANOS_MAX = Duration.ofSeconds(60).toNanos();
  private static final int DIGITS = 3;

  private final long from;
  private final long until;
  private final Map<Answer, Long> counts = new EnumMap<>(Answer.class);
  private final Histogram good = new Histogram(LATENCY_NANOS_MAX, DIGITS);
  private final Histogram shed = new Histogram(LATENCY_NANOS_MAX, DIGITS);
  private long last;

  public LoadCount(Duration runIn, Duration end) {
    this.from = runIn.toNanos();
    this.until = end.toNanos();
  }

  @Override
  public void answered(Answer answer, long due, long now) {
    counts.merge(answer, 1L, Long::sum);
    if (now < from || now >= until) {
      return;
    }
    last = Math.max(last, now);
    if (answer == Answer.GOOD) {
      record(good, now - due);
    } else if (answer == Answer.SHED) {
      record(shed, now - due);
    }
  }

  private static void record(Histogram histogram, long nanos) {
    histogram.recordValue(Math.clamp(nanos, 0, LATENCY_NANOS_MAX));
  }

  public long count(Answer answer) {
    return counts.getOrDefault(answer, 0L);
  }

  /// Answers that leave open, or deny wrongly, that the work was done.
  public long unknown() {
    return count(Answer.UNKNOWN) + count(Answer.DONE_BEFORE);
  }

  /// The run ends sooner than planned where its requests are used up.
  public double goodPerSecond() {
    return last > from ? good.getTotalCount() * 1e9 / (last - from) : 0;
  }

  public double goodMillis(double percentile) {
    return good.getValueAtPercentile(percentile) / 1e6;
  }

  public double shedMillis(double percentile) {
    return shed.getValueAtPercentile(percentile) / 1e6;
  }

  @Override
  public String toString() {
    return "%,.0f good/s (p50 %.1f ms, p99 %.1f ms), %s"
        .formatted(goodPerSecond(), goodMillis(50), goodMillis(99), counts);
  }
}
