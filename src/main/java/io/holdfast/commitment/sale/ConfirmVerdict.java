package io.holdfast.commitment.sale;

import io.holdfast.commitment.CommitOutcome;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.StoredOutcome;
import java.util.List;

/// What `ConfirmRules` decides about one request to sell.
public sealed interface ConfirmVerdict {

  /// @param hold as it will be, CONFIRMED, with the earliest possible time of the sale; the
  ///   statement that sells sets the final time
  record Sell(HoldRecord hold, List<LockedFacts.Item> items) implements ConfirmVerdict {}

  /// Refuse, and store the refusal under the token.
  ///
  /// @param unpins whether the pin was valid and has to be invalidated in the same transaction
  record Refuse(StoredOutcome.Refusal outcome, boolean unpins) implements ConfirmVerdict {}

  /// The logical key was consumed by the same purchase under another token. Stored under this token
  /// too.
  record Prior(StoredOutcome.Confirmed outcome) implements ConfirmVerdict {}

  /// The token has an outcome for the same request.
  record Repeat(StoredOutcome outcome) implements ConfirmVerdict {}

  /// Store nothing but the attempt.
  record Nothing(CommitOutcome outcome) implements ConfirmVerdict {}
}
