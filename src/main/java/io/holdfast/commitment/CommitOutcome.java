package io.holdfast.commitment;

import io.holdfast.pool.HoldRecord;
import java.util.List;

/// What asking Postgres for the end of a hold can come to.
public sealed interface CommitOutcome {

  /// It is sold.
  ///
  /// @param items tell Redis what it has to know of them; a replay has none
  /// @param outboxId what to cross out of the outbox once Redis has been told; 0 of a replay
  record Confirmed(HoldRecord hold, List<ItemVersion> items, long outboxId, boolean isReplay)
      implements CommitOutcome {
    public Confirmed {
      items = List.copyOf(items);
    }
  }

  /// It has ended in another way, as was asked.
  ///
  /// @param outcome as it is kept under the token: `RELEASED` or `EXPIRED`, a tab, the record
  record Ended(String outcome, boolean isReplay) implements CommitOutcome {}

  /// No, for good.
  ///
  /// @param outcome as it is kept under the token: a word, a tab, and what belongs to it
  record Refused(String outcome, boolean isReplay) implements CommitOutcome {}

  /// The token was spent on something else.
  record Collision() implements CommitOutcome {}

  /// The token was recorded by an instance that takes digests in another way.
  record Drift(String digestFunction) implements CommitOutcome {}

  /// Another call under this token or on this hold did not end in time, or a checkout has the hold.
  /// Nothing is recorded.
  record Running() implements CommitOutcome {}

  /// A newer pin, or the resolver, shut this pin out while the hold is still HELD. Nothing is
  /// recorded: pin again.
  record Superseded() implements CommitOutcome {}

  /// The deadline of the pin passed before the sale. Nothing is recorded and nothing sold.
  record Late() implements CommitOutcome {}

  /// Nothing is recorded and nothing sold, for sure.
  record NotDecided(String why) implements CommitOutcome {}

  /// The answer to COMMIT was lost, and it could not be read either.
  record Unknown(String why) implements CommitOutcome {}
}
