package io.holdfast.commitment.sale;

import io.holdfast.runtime.StartRule;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/// Commit queue. Starts a batch at once if none is running, otherwise at half the size in flight or
/// after 10 ms: a transaction costs the same to begin and to end, whatever its size.
///
/// Before it starts, it waits up to 1 ms for expected sales, and for more sales if the batch would
/// be much smaller than the last ones.
final class CommitQueue implements StartRule {
  private static final long EXPECTED_NANOS_MAX = Duration.ofMillis(1).toNanos();
  private static final long RECHECK_NANOS = Duration.ofNanos(250_000).toNanos();

  /// A batch starts beside others that are together up to this many times larger.
  private static final double IN_FLIGHT_RATIO = 2;

  /// The usual size is an average over about this many batches.
  private static final double USUAL_BATCHES = 8;

  /// A batch waits for more sales if the usual size is this many times larger.
  private static final double USUAL_RATIO = 4;

  private final int callsMax;
  private final long pauseNanosMax;
  private final AtomicInteger expected = new AtomicInteger();
  private double usualSize;
  private boolean isLargeEnough;
  private long largeEnoughAt;

  /// @param callsMax of one batch
  /// @param pauseMax how long a batch waits to become half as large as those in flight
  CommitQueue(int callsMax, Duration pauseMax) {
    this.callsMax = callsMax;
    this.pauseNanosMax = pauseMax.toNanos();
  }

  /// A sale may arrive soon. `stopExpectingSale` follows when it arrives, and when it does not.
  void expectSale() {
    expected.incrementAndGet();
  }

  void stopExpectingSale() {
    expected.decrementAndGet();
  }

  @Override
  public long pauseNanos(int waiting, int inFlight, long pausedNanos) {
    if (!isLargeEnough) {
      if (waiting < Math.min(inFlight / IN_FLIGHT_RATIO, callsMax) && pausedNanos < pauseNanosMax) {
        return pauseNanosMax - pausedNanos;
      }
      isLargeEnough = true;
      largeEnoughAt = pausedNanos;
    }
    var left = largeEnoughAt + EXPECTED_NANOS_MAX - pausedNanos;
    return isMoreExpected(waiting) && left > 0 ? Math.min(left, RECHECK_NANOS) : 0;
  }

  private boolean isMoreExpected(int waiting) {
    return waiting < callsMax && (expected.get() > 0 || waiting * USUAL_RATIO < usualSize);
  }

  @Override
  public void started(int calls) {
    usualSize += (calls - usualSize) / USUAL_BATCHES;
    isLargeEnough = false;
  }
}
