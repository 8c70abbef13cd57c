package io.holdfast.bench;

import io.holdfast.load.Requests;
import java.time.Duration;

/// The requests of one turn, the expected response, and its end: by time or by count, whichever
/// comes first.
///
/// @param runIn the time before anything is counted
record Load(
    Requests requests,
    Expected expected,
    int connections,
    Duration runIn,
    Duration time,
    long countMax) {

  /// A turn that counts from its first answer on.
  static Load counted(Requests requests, Expected expected, int connections, long count) {
    return new Load(requests, expected, connections, Duration.ZERO, Duration.ofSeconds(60), count);
  }

  /// The only response that does not invalidate the measurement.
  enum Expected {
    CREATED(201, false),
    REPLAYED(201, true),
    TAKEN(409, false),
    DONE(200, false),

    /// While a JVM is cold, calls may exceed their timeouts.
    ANYTHING(0, false);

    private final int status;
    private final boolean replay;

    Expected(int status, boolean replay) {
      this.status = status;
      this.replay = replay;
    }

    boolean is(int answeredStatus, boolean isReplay) {
      return this == ANYTHING || answeredStatus == status && isReplay == replay;
    }
  }
}
