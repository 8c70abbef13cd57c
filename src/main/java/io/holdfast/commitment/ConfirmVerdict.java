package io.holdfast.commitment;

import io.holdfast.pool.HoldRecord;
import java.util.List;

/// What is to be done about one request to sell.
sealed interface ConfirmVerdict {

  /// @param hold as it will be, CONFIRMED; when, is decided as it is written, but not before that
  record Sell(HoldRecord hold, List<LockedFacts.Item> items) implements ConfirmVerdict {}

  /// To be kept under the token.
  ///
  /// @param outcome a word, a tab, and what belongs to it
  /// @param unpins whether the pin was good and has to be shut out now
  record Refuse(String outcome, boolean unpins) implements ConfirmVerdict {}

  /// The effect was had under another token. To be kept under this one too.
  record Prior(String outcome) implements ConfirmVerdict {}

  /// The token was spent on just this before.
  record Repeat(String outcome) implements ConfirmVerdict {}

  /// Nothing is kept but that it was tried.
  record Nothing(CommitOutcome outcome) implements ConfirmVerdict {}
}
