package io.holdfast.pool;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// The outcome of a call that is stored under the call's token and replayed to every repeat of the
/// call. `OutcomeCodec` reads and writes the stored text.
public sealed interface StoredOutcome {

  /// An outcome with the hold that it is about.
  sealed interface OfHold extends StoredOutcome {
    HoldRecord hold();
  }

  /// The hold was placed. The record shows it as it was then.
  record Held(HoldRecord hold) implements OfHold {}

  /// The requester held exactly these items before the call. Nothing has changed.
  record Same(HoldRecord hold) implements OfHold {}

  /// The items are sold.
  record Confirmed(HoldRecord hold) implements OfHold {}

  record Released(HoldRecord hold) implements OfHold {}

  record Expired(HoldRecord hold) implements OfHold {}

  /// An outcome with the ticket of a waiting room that it is about.
  sealed interface OfTicket extends StoredOutcome {
    TicketRecord ticket();
  }

  record Joined(QueuePosition position, TicketRecord ticket) implements OfTicket {}

  /// The requester had this ticket before the call. Nothing has changed but its sign of life.
  record SameTicket(QueuePosition position, TicketRecord ticket) implements OfTicket {}

  /// The requester has left, or the ticket had ended before.
  record Left(TicketRecord ticket) implements OfTicket {}

  /// The requester gave no sign of life for too long.
  record TicketExpired(TicketRecord ticket) implements OfTicket {}

  /// The ticket lost its place with Redis and waits behind all others.
  record Requeued(TicketRecord ticket) implements OfTicket {}

  /// The call was refused.
  sealed interface Refusal extends StoredOutcome {}

  /// @param items those that are held or sold; empty if no adjacent seats are free
  record Taken(List<String> items) implements Refusal {
    public Taken {
      items = List.copyOf(items);
    }
  }

  record NoSuchItem(List<String> items) implements Refusal {
    public NoSuchItem {
      items = List.copyOf(items);
    }
  }

  /// The requester has as many holds as the pool allows.
  record Limit(int holdsMax) implements Refusal {}

  /// The requester would have more items than the pool allows, held and bought together.
  record ItemLimit(int itemsMax) implements Refusal {}

  /// A bid below the requester's own.
  ///
  /// @param ownCents what the requester offers already
  record BidTooLow(long ownCents) implements Refusal {}

  /// Neither text has control characters: they divide the fields and the lines of the journal.
  record Invalid(@Nullable String field, String sentence) implements Refusal {
    public Invalid {
      if ((field + sentence).chars().anyMatch(Character::isISOControl)) {
        throw new IllegalArgumentException("a refusal must not have control characters");
      }
    }
  }

  /// Refusals without details.
  enum Reason implements Refusal {
    /// The hold has ended, or another requester holds it.
    NOT_HELD,
    NOT_KNOWN,
    WINDOW_NOT_ELAPSED,
    /// The lease or the window of the hold is over, also if the sweep has not ended the hold yet.
    ELAPSED,
    /// The window is nearly over: a sale that begins now might end after it.
    CLOSING,
    STALE_FENCE,
    /// The logical key was consumed by another order or another hold.
    REPLAY_DUPLICATE,
    /// The nonce does not exist, or it is bound to another hold or another time.
    NONCE_UNBOUND,
    NONCE_CONSUMED,
    /// The auction takes no more bids, and its bids stay as they are.
    AUCTION_CLOSED,
    /// The auction has as many bids as it may have.
    AUCTION_FULL,
    /// A bid is not sold before the close of its auction.
    AUCTION_OPEN,
    /// The verification of the sale failed. The sale will be reversed.
    COMPENSATING,
    /// The pool has a waiting room, and the call has no valid pass.
    NOT_ADMITTED,
    /// The pool takes no holds now: its sale is closed, or it is outside of its times.
    SALES_CLOSED,
    /// As many tickets wait as a waiting room takes.
    QUEUE_FULL
  }
}
