package io.holdfast.postgres;

import io.holdfast.pool.Price;
import java.time.Duration;

/// What the simulator has decided on a call.
///
/// @param isKept whether the same call gets the same answer from now on
/// @param notices how often it is told by notice, too
/// @param isUntold whether the notice alone tells
/// @param delay until the notice
public record SimulatedEntry(
    SimulatedAccount account,
    boolean isDone,
    Price moved,
    String detail,
    boolean isKept,
    int notices,
    boolean isUntold,
    Duration delay) {

  public static SimulatedEntry done(SimulatedAccount account, Price moved, String reference) {
    return new SimulatedEntry(account, true, moved, reference, true, 0, false, Duration.ZERO);
  }

  public static SimulatedEntry declined(SimulatedAccount account, String why) {
    var nothing = new Price(0, account.currency());
    return new SimulatedEntry(account, false, nothing, why, true, 0, false, Duration.ZERO);
  }

  public SimulatedEntry notKept() {
    return new SimulatedEntry(account, isDone, moved, detail, false, notices, isUntold, delay);
  }

  public SimulatedEntry toldTwice() {
    return new SimulatedEntry(account, isDone, moved, detail, isKept, 2, false, delay);
  }

  public SimulatedEntry toldLater(Duration after) {
    return new SimulatedEntry(account, isDone, moved, detail, isKept, 1, true, after);
  }
}
