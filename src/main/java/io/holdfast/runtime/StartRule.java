package io.holdfast.runtime;

/// Decides when the next batch of a `Batcher` starts, while calls wait and another batch may start.
/// The batcher asks it with the lock of the queue held.
public interface StartRule {
  StartRule AT_ONCE = (_, _, _) -> 0;

  /// Returns how long to wait for more calls, 0 to start now. It is asked again after that time and
  /// when a call arrives or a batch ends. Only a route whose executor may block can wait.
  ///
  /// @param waiting calls that wait, at least one
  /// @param inFlight calls in the batches that run
  /// @param pausedNanos since the rule was first asked about this batch
  long pauseNanos(int waiting, int inFlight, long pausedNanos);

  /// A batch of that many calls starts.
  default void started(int calls) {}
}
