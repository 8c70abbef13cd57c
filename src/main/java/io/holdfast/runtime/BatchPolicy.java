package io.holdfast.runtime;

import java.time.Duration;

/// The bounds of a `Batcher` and the start rule of its batches.
///
/// @param callsMax of one batch
/// @param weightMax of one batch; a call that weighs more is sent alone
/// @param batchesMax of one key that run at a time
/// @param inFlightMax calls of all keys together that were sent and have no reply
/// @param pendingMax calls that wait, are in flight or run alone, of all keys together
/// @param waitMax of a call before it is sent
public record BatchPolicy(
    int callsMax,
    int weightMax,
    int batchesMax,
    int inFlightMax,
    int pendingMax,
    Duration waitMax,
    StartRule startRule) {

  /// Each pending call is a caller that blocks. This many are a fault.
  private static final int BLOCKED_MAX = 100_000;

  /// Transactions have time limits of their own, so that a wait ends without another one.
  private static final Duration NO_LIMIT = Duration.ofDays(1);

  /// One batch after the other, each with all calls that wait.
  public static BatchPolicy oneAtATime(int callsMax) {
    return blocking(callsMax, 1, BLOCKED_MAX, StartRule.AT_ONCE);
  }

  public static BatchPolicy blocking(
      int callsMax, int batchesMax, int pendingMax, StartRule startRule) {
    return new BatchPolicy(
        callsMax,
        Integer.MAX_VALUE,
        batchesMax,
        Integer.MAX_VALUE,
        pendingMax,
        NO_LIMIT,
        startRule);
  }
}
