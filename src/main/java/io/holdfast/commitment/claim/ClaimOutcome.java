package io.holdfast.commitment.claim;

import io.holdfast.commitment.CommitOutcome;
import io.holdfast.commitment.ItemVersion;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.StoredOutcome;
import java.util.List;

/// What a step of a checkout can come to in the ledger. The caller commits or rolls back.
public sealed interface ClaimOutcome {

  /// It is done, with these items at these versions.
  ///
  /// @param hold as its row is now
  /// @param outboxId what tells the relay of a sale; 0 if it is none
  record Done(HoldRecord hold, List<ItemVersion> items, long outboxId) implements ClaimOutcome {
    public Done {
      items = List.copyOf(items);
    }
  }

  /// A final refusal; nothing was written.
  record Refused(StoredOutcome.Refusal outcome) implements ClaimOutcome {}

  /// Nothing was written, and the answer may be another one later: the pin was shut out, its
  /// deadline passed, or another checkout has the hold.
  record NotNow(CommitOutcome why) implements ClaimOutcome {}
}
