package io.holdfast.onsale;

import java.time.Duration;

/// One person of the plan.
///
/// @param arrival time of joining the queue, after the opening
/// @param patience time in the queue after which a `LEAVER` leaves
/// @param thinking time between the admission and the hold, and again between the hold and its end
/// @param seats how many seats this person wants
record Visitor(
    int number,
    Duration arrival,
    Behaviour behaviour,
    Duration patience,
    Duration thinking,
    int seats) {

  /// What a person does. The shares are those of `OnSalePlan`.
  enum Behaviour {
    /// Holds seats and confirms the hold.
    CONFIRMER,
    /// Holds seats and pays by a checkout.
    PAYER,
    /// Holds seats and releases them.
    DROPPER,
    /// Holds seats again and again, and lets every hold lapse.
    BOT,
    /// Leaves the queue after a while.
    LEAVER,
    /// Joins the queue and never asks again.
    ABSENTEE
  }

  String requester() {
    return "visitor-" + number;
  }

  /// Whether this person waits in the queue as long as it takes.
  boolean stays() {
    return behaviour != Behaviour.LEAVER && behaviour != Behaviour.ABSENTEE;
  }
}
