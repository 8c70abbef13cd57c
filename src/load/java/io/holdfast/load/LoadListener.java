package io.holdfast.load;

/// Receives every response on the thread of the driver.
@FunctionalInterface
public interface LoadListener {

  /// Moments are nanoseconds of the run.
  ///
  /// @param due when the request was due; where it waited for a connection, that wait counts
  void answered(Answer answer, long due, long now);
}
