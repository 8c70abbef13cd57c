package io.holdfast.commitment.claim;

import io.holdfast.commitment.CommitOutcome;
import io.holdfast.commitment.ItemVersion;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.StoredOutcome;
import java.util.List;

/// The result of a step of a checkout in the ledger. The caller commits or rolls back.
public sealed interface ClaimOutcome {

  /// The step is done.
  ///
  /// @param hold the new state of its row
  /// @param items with their new versions
  /// @param outboxId of a sale; 0 for other steps
  record Done(HoldRecord hold, List<ItemVersion> items, long outboxId) implements ClaimOutcome {
    public Done {
      items = List.copyOf(items);
    }
  }

  /// A final refusal; nothing was written.
  record Refused(StoredOutcome.Refusal outcome) implements ClaimOutcome {}

  /// The items do not cost what the buyer agreed to pay. Nothing was written.
  ///
  /// @param cents what they cost now
  record OtherPrice(long cents) implements ClaimOutcome {}

  /// Nothing was written, and a later call may succeed: the pin was invalidated, its deadline
  /// passed, or another checkout has the hold.
  record NotNow(CommitOutcome why) implements ClaimOutcome {}
}
