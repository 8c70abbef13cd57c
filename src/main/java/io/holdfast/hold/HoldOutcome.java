package io.holdfast.hold;

import io.holdfast.commitment.PinResult;
import io.holdfast.idempotency.EntryVersion;
import io.holdfast.pool.EndReason;
import io.holdfast.pool.Epoch;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.PoolCounts;
import io.holdfast.pool.QueuePosition;
import io.holdfast.pool.StoredOutcome;
import io.holdfast.pool.TicketRecord;
import io.holdfast.pool.TokenAction;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The result of a call about a hold.
public sealed interface HoldOutcome {

  /// A final decision. It is stored under the token of the call; a heartbeat has no token.
  ///
  /// @param isReplay whether an earlier call under the same token was decided so
  record Decided(StoredOutcome outcome, boolean isReplay) implements HoldOutcome {
    public Decided(StoredOutcome outcome) {
      this(outcome, false);
    }
  }

  /// The lease was extended by a heartbeat.
  record Extended(HoldRecord hold) implements HoldOutcome {}

  /// Adjacent seats were found and held.
  record HeldAdjacent(HoldRecord hold, SeatsSeen seen) implements HoldOutcome {}

  /// None of the seats that were shown to the script will do; others may.
  record SearchOn(SeatsSeen seen) implements HoldOutcome {}

  /// The pool as this instance knows it has no room. It was changed since; nothing was done.
  ///
  /// @param version of the pool that Redis knows
  record PoolChanged(long version) implements HoldOutcome {}

  /// What a search has seen of the seats of a pool.
  ///
  /// @param state of the pool when the call was decided: the epoch and the number of freed items
  /// @param freed names of the seats that became free since the state that the call has sent,
  ///   divided by line feeds; empty if that is unknown
  /// @param bits for each part that was read, 1 for each seat that is not free
  record SeatsSeen(String state, String freed, List<String> bits) {}

  /// What Redis answered to a call that wants to commit.
  record PinTried(PinResult result) implements HoldOutcome {}

  /// The hold is being committed, so only Postgres may end it.
  ///
  /// @param reason why it would expire, if the call asks for that
  /// @param epoch of the pool, as Redis has it
  record Pinned(HoldRecord hold, @Nullable EndReason reason, Epoch epoch) implements HoldOutcome {}

  /// Another call under this token, or on this hold, has not ended yet.
  record Running() implements HoldOutcome {}

  /// Holds as they are in Redis.
  ///
  /// @param at Redis' clock
  record HoldsRead(Instant at, List<HoldRecord> holds) implements HoldOutcome {}

  /// A ticket of a waiting room, as it is in Redis.
  ///
  /// @param at Redis' clock
  /// @param isSoldOut whether the ticket waits for nothing
  record TicketSeen(Instant at, boolean isSoldOut, QueuePosition position, TicketRecord ticket)
      implements HoldOutcome {}

  record Counted(PoolCounts counts) implements HoldOutcome {}

  /// What Redis has stored under a token.
  ///
  /// @param version in which the answer is rendered
  /// @param outcome null while the call runs
  record TokenFound(
      TokenAction action, EntryVersion version, @Nullable StoredOutcome outcome, Instant recordedAt)
      implements HoldOutcome {}

  record TokenNotFound() implements HoldOutcome {}

  /// The token was used for another request.
  record Collision() implements HoldOutcome {}

  /// The token was recorded by an instance with another digest function.
  record Drift(String digestFunction) implements HoldOutcome {}

  /// Redis does not have the hold or the ticket. Postgres may know its end.
  record Absent() implements HoldOutcome {}

  /// The pool is not open in Redis. Nothing was done.
  ///
  /// @param why LOST, MOVED, SEEDING or FULL
  record Unseeded(String why) implements HoldOutcome {}

  /// The journal is full. Nothing was done.
  record Full() implements HoldOutcome {}

  /// A server did not answer.
  ///
  /// @param definite whether nothing was done; if false, the call may have been executed, and only
  ///   the same token sent again can tell
  record Away(boolean definite, String why) implements HoldOutcome {}

  /// Too many calls wait for Redis; this one was not sent.
  ///
  /// @param retryAfter how long the waiting calls will take
  record Shed(Duration retryAfter) implements HoldOutcome {}
}
