package io.holdfast.commitment;

import io.holdfast.pool.Epoch;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.StoredOutcome;
import java.time.Instant;

/// The result of pinning a hold in Redis for a sale. It is not the final answer: the token or the
/// logical key may have an outcome in Postgres.
public sealed interface PinResult {

  /// Redis keeps the hold for as long as the transaction can last.
  ///
  /// @param hold HELD, with the number of this pin, which is odd
  /// @param deadline after which nothing may be sold, by Postgres' clock
  /// @param epoch of the pin; the pin is invalid in any other epoch
  record Pinned(HoldRecord hold, Instant deadline, Epoch epoch) implements PinResult {}

  /// Redis refused. The refusal becomes the outcome of the token.
  record Refused(StoredOutcome.Reason why) implements PinResult {}

  /// Redis does not have the hold. The row in Postgres decides.
  record Absent() implements PinResult {}

  /// Redis is not available. Only an outcome that is already stored can be answered.
  record Away(String why) implements PinResult {}
}
