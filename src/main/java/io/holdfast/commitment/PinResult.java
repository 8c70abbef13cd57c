package io.holdfast.commitment;

import io.holdfast.pool.Epoch;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.StoredOutcome;
import java.time.Instant;

/// What Redis said of a hold that somebody wants to buy. It is no answer yet: the token or the
/// logical key may know better.
public sealed interface PinResult {

  /// Redis keeps the hold for as long as the transaction can last.
  ///
  /// @param hold HELD, with the number of this pin, which is odd
  /// @param deadline when nothing may be sold any more, by Postgres' clock
  /// @param epoch the life of Redis' memory that the pin is in; no pin outlives it
  record Pinned(HoldRecord hold, Instant deadline, Epoch epoch) implements PinResult {}

  /// Redis refused, which becomes the outcome of the token.
  record Refused(StoredOutcome.Reason why) implements PinResult {}

  /// Redis does not have the hold: its row decides.
  record Absent() implements PinResult {}

  /// Redis cannot be asked: only what has been decided before can be answered.
  record Away(String why) implements PinResult {}
}
