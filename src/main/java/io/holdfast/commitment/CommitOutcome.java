package io.holdfast.commitment;

import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.StoredOutcome;
import java.util.List;

/// The result of asking Postgres to sell, release or expire a hold.
public sealed interface CommitOutcome {

  /// The hold is sold.
  ///
  /// @param items versions that Redis has to take over; empty for a replay
  /// @param outboxId entry to acknowledge once Redis has the sale; 0 for a replay
  record Confirmed(HoldRecord hold, List<ItemVersion> items, long outboxId, boolean isReplay)
      implements CommitOutcome {
    public Confirmed {
      items = List.copyOf(items);
    }
  }

  /// The hold is released or expired, as requested. Stored under the token.
  record Ended(StoredOutcome.OfHold outcome, boolean isReplay) implements CommitOutcome {}

  /// A final refusal. Stored under the token.
  record Refused(StoredOutcome.Refusal outcome, boolean isReplay) implements CommitOutcome {}

  /// The token was used for another request.
  record Collision() implements CommitOutcome {}

  /// The token was recorded by an instance with another digest function.
  record Drift(String digestFunction) implements CommitOutcome {}

  /// Another call under this token or on this hold did not end in time, or a checkout has claimed
  /// the hold. Nothing is recorded.
  record Running() implements CommitOutcome {}

  /// A newer pin or the resolver has invalidated this pin; the hold is still HELD. Nothing is
  /// recorded. The caller pins again.
  record Superseded() implements CommitOutcome {}

  /// The deadline of the pin passed before the sale. Nothing is recorded and nothing sold.
  record Late() implements CommitOutcome {}

  /// Nothing is recorded and nothing sold, definitely.
  record NotDecided(String why) implements CommitOutcome {}

  /// The response to COMMIT was lost, and the result could not be read either.
  record Unknown(String why) implements CommitOutcome {}
}
