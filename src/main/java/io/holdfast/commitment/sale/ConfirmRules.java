package io.holdfast.commitment.sale;

import io.holdfast.commitment.CommitOutcome.Collision;
import io.holdfast.commitment.CommitOutcome.Drift;
import io.holdfast.commitment.CommitOutcome.Late;
import io.holdfast.commitment.CommitOutcome.NotDecided;
import io.holdfast.commitment.CommitOutcome.Running;
import io.holdfast.commitment.CommitOutcome.Superseded;
import io.holdfast.commitment.ConfirmRequest;
import io.holdfast.commitment.ItemState.Status;
import io.holdfast.commitment.PinResult.Absent;
import io.holdfast.commitment.PinResult.Away;
import io.holdfast.commitment.PinResult.Pinned;
import io.holdfast.commitment.PinResult.Refused;
import io.holdfast.commitment.claim.ClaimOutcome;
import io.holdfast.commitment.sale.ConfirmVerdict.Nothing;
import io.holdfast.commitment.sale.ConfirmVerdict.Prior;
import io.holdfast.commitment.sale.ConfirmVerdict.Refuse;
import io.holdfast.commitment.sale.ConfirmVerdict.Repeat;
import io.holdfast.commitment.sale.ConfirmVerdict.Sell;
import io.holdfast.idempotency.Digest;
import io.holdfast.pool.EndReason;
import io.holdfast.pool.Epoch;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.HoldState;
import io.holdfast.pool.StoredOutcome;
import io.holdfast.pool.StoredOutcome.Reason;
import io.holdfast.pool.TokenAction;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// The rules of a sale and of a claim, applied to facts that were read under locks. A request is
/// checked in this order: token, logical key, hold, nonce, items, limit of the requester. A nonce
/// that was used is refused before a conflict, so that its holder learns that it is spent and not
/// that somebody else was faster.
public final class ConfirmRules {
  private ConfirmRules() {}

  static ConfirmVerdict decide(ConfirmRequest request, LockedFacts facts) {
    if (facts.token() != null) {
      return spent(request, facts.token());
    }
    return spentNonceFirst(decideUnderFreshToken(request, facts), facts);
  }

  private static ConfirmVerdict decideUnderFreshToken(ConfirmRequest request, LockedFacts facts) {
    if (facts.consumed() != null) {
      return consumed(request, facts.consumed(), facts.hold());
    }
    return switch (request.intent()) {
      case Away(var why) -> new Nothing(new NotDecided(why));
      case Refused(var why) -> new Refuse(why, false);
      case Absent() -> absent(request, facts.hold());
      case Pinned pinned -> pinned(request, pinned, facts);
    };
  }

  private static ConfirmVerdict spentNonceFirst(ConfirmVerdict verdict, LockedFacts facts) {
    return verdict instanceof Refuse(var why, var unpins)
            && (why == Reason.NOT_HELD
                || why == Reason.REPLAY_DUPLICATE
                || why == Reason.STALE_FENCE)
            && facts.nonce() != null
            && facts.nonce().isConsumed()
        ? new Refuse(Reason.NONCE_CONSUMED, unpins)
        : verdict;
  }

  private static ConfirmVerdict spent(ConfirmRequest request, LockedFacts.SpentToken token) {
    return switch (compare(token, TokenAction.CONFIRM, request.digest())) {
      case SAME -> new Repeat(token.outcome());
      case OTHER_FUNCTION -> new Nothing(new Drift(function(token.digest())));
      case OTHER -> new Nothing(new Collision());
    };
  }

  /// How a call compares with the call that its token was used for.
  public enum TokenMatch {
    SAME,
    OTHER_FUNCTION,
    OTHER
  }

  public static TokenMatch compare(
      LockedFacts.SpentToken token, TokenAction action, Digest digest) {
    var isSameAction = token.action() == action;
    if (isSameAction && token.digest().equals(digest.value())) {
      return TokenMatch.SAME;
    }
    return isSameAction && !function(token.digest()).equals(function(digest.value()))
        ? TokenMatch.OTHER_FUNCTION
        : TokenMatch.OTHER;
  }

  public static String function(String digest) {
    return digest.substring(0, digest.indexOf(':'));
  }

  /// A repeat of the same purchase gets its first result. Any other use of the key is refused.
  private static ConfirmVerdict consumed(
      ConfirmRequest request, LockedFacts.Consumed consumed, @Nullable HoldRecord hold) {
    var isOfThisHold = consumed.target().equals(request.hold().toString());
    if (isOfThisHold && !consumed.isOwner()) {
      return new Refuse(Reason.NOT_HELD, canUnpin(request, hold));
    }
    var isSame = isOfThisHold && consumed.isSameOrder();
    return isSame && hold != null && hold.state() == HoldState.CONFIRMED
        ? new Prior(new StoredOutcome.Confirmed(hold))
        : new Refuse(Reason.REPLAY_DUPLICATE, canUnpin(request, hold));
  }

  private static ConfirmVerdict absent(ConfirmRequest request, @Nullable HoldRecord hold) {
    if (hold == null || !hold.caller().equals(request.caller())) {
      return new Refuse(Reason.NOT_KNOWN, false);
    }
    return hold.state() == HoldState.HELD
        ? new Nothing(new NotDecided("the hold is in Postgres and not in Redis"))
        : new Refuse(ended(hold), false);
  }

  private static ConfirmVerdict pinned(ConfirmRequest request, Pinned pinned, LockedFacts facts) {
    return facts.hold() != null && isClaimed(facts.hold())
        ? new Nothing(new Running())
        : open(request, pinned, facts);
  }

  /// Whether a checkout may claim the pinned hold. It may repeat a claim at the same pin.
  public static ConfirmVerdict decideClaim(
      ConfirmRequest request, LockedFacts facts, Pinned pinned) {
    if (facts.consumed() != null) {
      return spentNonceFirst(new Refuse(Reason.REPLAY_DUPLICATE, false), facts);
    }
    var row = facts.hold();
    var isOfAnotherCheckout = row != null && isClaimed(row) && row.pinNo() != pinned.hold().pinNo();
    return isOfAnotherCheckout
        ? new Nothing(new Running())
        : spentNonceFirst(open(request, pinned, facts), facts);
  }

  /// Whether a checkout may sell what it has claimed. Returns null if it may.
  static @Nullable public ClaimOutcome refusalOfClaimedSale(
      ConfirmRequest request, LockedFacts facts, Pinned pinned) {
    var row = facts.hold();
    if (facts.consumed() != null) {
      return new ClaimOutcome.Refused(Reason.REPLAY_DUPLICATE);
    }
    if (row == null || !isClaimed(row) || row.pinNo() != pinned.hold().pinNo()) {
      return new ClaimOutcome.Refused(Reason.NOT_HELD);
    }
    if (!facts.items().stream().allMatch(item -> isClaimInTime(item, facts.now()))) {
      return new ClaimOutcome.Refused(Reason.ELAPSED);
    }
    var nonce = nonceRefusal(request, facts);
    var refusal = nonce == null ? limitRefusal(pinned.hold().items().size(), facts) : nonce;
    return refusal == null ? null : new ClaimOutcome.Refused(refusal);
  }

  private static ConfirmVerdict open(ConfirmRequest request, Pinned pinned, LockedFacts facts) {
    var row = facts.hold();
    if (row != null && row.state() != HoldState.HELD) {
      return new Refuse(ended(row), false);
    }
    if (!isCurrentEpoch(pinned.epoch(), facts.epoch())
        || row != null && !mayEnd(row.state(), row.pinNo(), pinned.hold().pinNo())) {
      return new Nothing(new Superseded());
    }
    if (!isInTime(facts.now(), pinned.deadline())) {
      return new Nothing(new Late());
    }
    var refusal = refusal(request, pinned.hold(), facts);
    return refusal == null
        ? new Sell(sold(part(request, pinned.hold()), facts.now()), facts.items())
        : new Refuse(refusal, true);
  }

  private static StoredOutcome.@Nullable Refusal refusal(
      ConfirmRequest request, HoldRecord hold, LockedFacts facts) {
    if (!hold.caller().equals(request.caller())) {
      return Reason.NOT_KNOWN;
    }
    if (!hold.requester().equals(request.requester())) {
      return Reason.NOT_HELD;
    }
    if (hold.fence().value() != request.fence()) {
      return Reason.STALE_FENCE;
    }
    var nonce = nonceRefusal(request, facts);
    var why = nonce == null ? itemRefusal(request, hold, facts) : nonce;
    return why == null ? limitRefusal(part(request, hold).items().size(), facts) : why;
  }

  /// What is sold of the hold: all of it, unless the request names a part of its quantity.
  private static HoldRecord part(ConfirmRequest request, HoldRecord hold) {
    return request.quantity() == null || request.quantity().equals(hold.quantity())
        ? hold
        : hold.withQuantity(request.quantity());
  }

  private static StoredOutcome.@Nullable Refusal nonceRefusal(
      ConfirmRequest request, LockedFacts facts) {
    if (request.nonceHash() == null) {
      return request.pool().policy().requireNonce() ? Reason.NONCE_UNBOUND : null;
    }
    var nonce = facts.nonce();
    if (nonce != null && nonce.isConsumed()) {
      return Reason.NONCE_CONSUMED;
    }
    var isBound =
        nonce != null
            && nonce.holdId().equals(request.hold().toString())
            && nonce.operation().equals(ReplayKey.OPERATION)
            && !facts.now().isBefore(nonce.notBefore())
            && facts.now().isBefore(nonce.notAfter());
    return isBound ? null : Reason.NONCE_UNBOUND;
  }

  private static StoredOutcome.@Nullable Refusal itemRefusal(
      ConfirmRequest request, HoldRecord hold, LockedFacts facts) {
    if (hold.quantity() != null
        && request.quantity() != null
        && request.quantity() > hold.quantity()) {
      return new StoredOutcome.Invalid(
          "quantity", "quantity has to be a whole number from 1 to " + hold.quantity() + ".");
    }
    if (facts.items().stream().anyMatch(item -> item.fence() > hold.fence().value())) {
      return Reason.STALE_FENCE;
    }
    var isWhole =
        facts.items().size() == hold.items().size()
            && facts.items().stream()
                .allMatch(item -> maySell(item, request.hold().toString(), hold.fence().value()));
    var isInStock = facts.stock() == null || unitsToTake(request, facts) <= facts.stock().left();
    return isWhole && isInStock ? null : Reason.NOT_HELD;
  }

  /// Redis counts what requesters hold and have bought; here it is made sure of what they buy.
  private static StoredOutcome.@Nullable Refusal limitRefusal(int wanted, LockedFacts facts) {
    var allowance = facts.allowance();
    return allowance != null && allowance.bought() + wanted > allowance.most()
        ? new StoredOutcome.ItemLimit(allowance.most())
        : null;
  }

  /// The units that a sale or a claim takes of the stock: not those that its checkout has claimed.
  public static long unitsToTake(ConfirmRequest request, LockedFacts facts) {
    var free = facts.items().stream().filter(item -> item.status() == Status.FREE).count();
    return request.quantity() == null ? free : Math.min(free, request.quantity());
  }

  /// The condition on the hold's row: the hold has not ended, and the row has no newer pin number.
  static boolean mayEnd(HoldState state, long pinNoOnRecord, long pinNo) {
    return state == HoldState.HELD && pinNoOnRecord <= pinNo;
  }

  /// A pin is valid only in the epoch in which it was set.
  public static boolean isCurrentEpoch(Epoch pinned, @Nullable Epoch now) {
    return pinned.equals(now);
  }

  /// The condition on an item.
  static boolean maySell(LockedFacts.Item item, String holdId, long fence) {
    return switch (item.status()) {
      case FREE -> item.fence() <= fence; // equal: this hold had claimed the item and gave it back
      case CLAIMED -> holdId.equals(item.holder()) && item.fence() == fence;
      case SOLD -> false;
      case BLOCKED -> false;
    };
  }

  static boolean isInTime(Instant now, Instant deadline) {
    return now.isBefore(deadline);
  }

  static boolean isClaimInTime(LockedFacts.Item item, Instant now) {
    return item.claimUntil() == null || isInTime(now, item.claimUntil());
  }

  /// The row of a hold that is HELD has an odd pin number only while a checkout claims its items.
  public static boolean isClaimed(HoldRecord row) {
    return row.state() == HoldState.HELD && row.pinNo() % 2 == 1;
  }

  private static boolean canUnpin(ConfirmRequest request, @Nullable HoldRecord row) {
    return request.intent() instanceof Pinned(var hold, _, _)
        && (row == null || !isClaimed(row) && mayEnd(row.state(), row.pinNo(), hold.pinNo() + 1));
  }

  public static HoldRecord sold(HoldRecord hold, Instant now) {
    var at = now.isBefore(hold.placedAt()) ? hold.placedAt() : now;
    return hold.ended(HoldState.CONFIRMED, at, null);
  }

  private static StoredOutcome.Reason ended(HoldRecord row) {
    return row.endReason() == EndReason.WINDOW || row.endReason() == EndReason.LEASE
        ? Reason.ELAPSED
        : Reason.NOT_HELD;
  }
}
