package io.holdfast.commitment;

import io.holdfast.pool.HoldRecord;
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

  /// No; nothing was written.
  ///
  /// @param outcome a word and a tab, as confirm keeps it under its token
  record Refused(String outcome) implements ClaimOutcome {}

  /// Nothing was written, and the answer may be another one later: the pin was shut out, its
  /// deadline passed, or another checkout has the hold.
  record NotNow(CommitOutcome why) implements ClaimOutcome {}
}
