package io.holdfast.payment.simulator;

import io.holdfast.pool.Price;
import java.time.Duration;

/// What the simulator has decided on a call.
///
/// @param isKept whether the same call gets the same answer from now on
/// @param notices how often it is told by notice, too
/// @param isUntold whether the notice alone tells
/// @param delay until the notice
public record SimulatorDecision(
    SimulatedAccount account,
    boolean isDone,
    Price moved,
    String detail,
    boolean isKept,
    int notices,
    boolean isUntold,
    Duration delay) {

  public static SimulatorDecision done(SimulatedAccount account, Price moved, String reference) {
    return new SimulatorDecision(account, true, moved, reference, true, 0, false, Duration.ZERO);
  }

  public static SimulatorDecision declined(SimulatedAccount account, String why) {
    var nothing = new Price(0, account.currency());
    return new SimulatorDecision(account, false, nothing, why, true, 0, false, Duration.ZERO);
  }

  public SimulatorDecision notKept() {
    return new SimulatorDecision(account, isDone, moved, detail, false, notices, isUntold, delay);
  }

  public SimulatorDecision toldTwice() {
    return new SimulatorDecision(account, isDone, moved, detail, isKept, 2, false, delay);
  }

  public SimulatorDecision toldLater(Duration after) {
    return new SimulatorDecision(account, isDone, moved, detail, isKept, 1, true, after);
  }
}
