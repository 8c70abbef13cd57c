package io.holdfast.payment.simulator;

import io.holdfast.pool.Price;
import java.time.Duration;

/// The decision of the simulator on a call.
///
/// @param isKept whether a second call with the same id gets the same answer
/// @param notices how many are sent
/// @param isNoticePending whether only a notice may answer
/// @param delay until the notice
record SimulatorDecision(
    SimulatedAccount account,
    boolean isDone,
    Price moved,
    String detail,
    boolean isKept,
    int notices,
    boolean isNoticePending,
    Duration delay) {

  static SimulatorDecision done(SimulatedAccount account, Price moved, String reference) {
    return new SimulatorDecision(account, true, moved, reference, true, 0, false, Duration.ZERO);
  }

  static SimulatorDecision declined(SimulatedAccount account, String why) {
    var nothing = new Price(0, account.currency());
    return new SimulatorDecision(account, false, nothing, why, true, 0, false, Duration.ZERO);
  }

  SimulatorDecision notKept() {
    return new SimulatorDecision(
        account, isDone, moved, detail, false, notices, isNoticePending, delay);
  }

  SimulatorDecision withTwoNotices() {
    return new SimulatorDecision(account, isDone, moved, detail, isKept, 2, false, delay);
  }

  SimulatorDecision answeredByNotice(Duration after) {
    return new SimulatorDecision(account, isDone, moved, detail, isKept, 1, true, after);
  }
}
