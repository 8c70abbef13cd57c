package io.holdfast.web;

import io.holdfast.runtime.HealthProbe.State;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Which changes of the state of a server are logged: one outage a minute, and its end. A server
/// that comes and goes, such as a Postgres that ends itself on a full disk, would otherwise fill
/// the log. An outage that lasts is logged a minute after the last one at the latest.
final class StateLog {
  private static final long PAUSE_NANOS = Duration.ofMinutes(1).toNanos();

  private final LongSupplier clock;
  private @Nullable State logged;
  private boolean hadOutage;
  private long outageAt;

  StateLog(LongSupplier clock) {
    this.clock = clock;
  }

  /// Returns the state that was logged before, or null if nothing is to be logged. The first state
  /// is not a change.
  @Nullable State change(State state) {
    var before = logged;
    if (before == state || before != null && state != State.UP && !mayLogOutage()) {
      return null;
    }
    logged = state;
    return before;
  }

  private boolean mayLogOutage() {
    var now = clock.getAsLong();
    if (hadOutage && now - outageAt < PAUSE_NANOS) {
      return false;
    }
    hadOutage = true;
    outageAt = now;
    return true;
  }
}
