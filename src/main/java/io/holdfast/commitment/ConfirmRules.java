package io.holdfast.commitment;

import io.holdfast.commitment.CommitOutcome.Collision;
import io.holdfast.commitment.CommitOutcome.Drift;
import io.holdfast.commitment.CommitOutcome.Late;
import io.holdfast.commitment.CommitOutcome.NotDecided;
import io.holdfast.commitment.CommitOutcome.Running;
import io.holdfast.commitment.CommitOutcome.Superseded;
import io.holdfast.commitment.ConfirmVerdict.Nothing;
import io.holdfast.commitment.ConfirmVerdict.Prior;
import io.holdfast.commitment.ConfirmVerdict.Refuse;
import io.holdfast.commitment.ConfirmVerdict.Repeat;
import io.holdfast.commitment.ConfirmVerdict.Sell;
import io.holdfast.commitment.PinResult.Absent;
import io.holdfast.commitment.PinResult.Away;
import io.holdfast.commitment.PinResult.Pinned;
import io.holdfast.commitment.PinResult.Refusal;
import io.holdfast.commitment.PinResult.Refused;
import io.holdfast.idempotency.Digest;
import io.holdfast.pool.EndReason;
import io.holdfast.pool.Epoch;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.HoldState;
import io.holdfast.pool.TokenAction;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// Decides on requests to sell, from what is known and without asking anybody. The order is that of
/// the replay ledger: the token, the logical key, then the hold, the nonce and the items.
final class ConfirmRules {
  static final String NOT_HELD = "NOT_HELD\t";
  static final String ELAPSED = "ELAPSED\t";
  static final String STALE_FENCE = "STALE_FENCE\t";
  static final String NOT_KNOWN = "NOT_KNOWN\t";
  static final String REPLAY_DUPLICATE = "REPLAY_DUPLICATE\t";
  static final String NONCE_UNBOUND = "NONCE_UNBOUND\t";
  static final String NONCE_CONSUMED = "NONCE_CONSUMED\t";
  static final String COMPENSATING = "COMPENSATING\t";

  private ConfirmRules() {}

  static ConfirmVerdict judge(ConfirmRequest request, LockedFacts facts) {
    if (facts.token() != null) {
      return spent(request, facts.token());
    }
    if (facts.consumed() != null) {
      return consumed(request, facts.consumed(), facts.hold());
    }
    return switch (request.intent()) {
      case Away(var why) -> new Nothing(new NotDecided(why));
      case Refused(var why) -> new Refuse(outcome(why), false);
      case Absent() -> absent(request, facts.hold());
      case Pinned pinned -> pinned(request, pinned, facts);
    };
  }

  private static ConfirmVerdict spent(ConfirmRequest request, LockedFacts.SpentToken token) {
    return switch (compare(token, TokenAction.CONFIRM, request.digest())) {
      case SAME -> new Repeat(token.outcome());
      case OTHER_FUNCTION -> new Nothing(new Drift(function(token.digest())));
      case OTHER -> new Nothing(new Collision());
    };
  }

  /// How a call compares with what its token was spent on.
  enum Likeness {
    SAME,
    OTHER_FUNCTION,
    OTHER
  }

  static Likeness compare(LockedFacts.SpentToken token, TokenAction action, Digest digest) {
    var isSameAction = token.action().equals(action.word());
    if (isSameAction && token.digest().equals(digest.value())) {
      return Likeness.SAME;
    }
    return isSameAction && !function(token.digest()).equals(function(digest.value()))
        ? Likeness.OTHER_FUNCTION
        : Likeness.OTHER;
  }

  static String function(String digest) {
    return digest.substring(0, digest.indexOf(':'));
  }

  /// Who asks for the same effect again is told what came of it; nobody has another one by it.
  private static ConfirmVerdict consumed(
      ConfirmRequest request, LockedFacts.Consumed consumed, @Nullable HoldRecord hold) {
    var isOfThisHold = consumed.target().equals(request.hold().toString());
    if (isOfThisHold && !isOwner(consumed, request)) {
      return new Refuse(NOT_HELD, canUnpin(request, hold));
    }
    var isSame = isOfThisHold && consumed.orderId().equals(request.orderId());
    return isSame && hold != null && hold.state() == HoldState.CONFIRMED
        ? new Prior("CONFIRMED\t" + hold.format())
        : new Refuse(REPLAY_DUPLICATE, canUnpin(request, hold));
  }

  private static boolean isOwner(LockedFacts.Consumed consumed, ConfirmRequest request) {
    return consumed.owner().equals(ReplayKey.owner(request.caller(), request.requester()));
  }

  private static ConfirmVerdict absent(ConfirmRequest request, @Nullable HoldRecord hold) {
    if (hold == null || !hold.caller().equals(request.caller())) {
      return new Refuse(NOT_KNOWN, false);
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

  /// Whether a checkout may claim what is pinned. A claim at the same pin is its own.
  static ConfirmVerdict judgeClaim(ConfirmRequest request, LockedFacts facts, Pinned pinned) {
    if (facts.consumed() != null) {
      return new Refuse(REPLAY_DUPLICATE, false);
    }
    var row = facts.hold();
    var isAnothers = row != null && isClaimed(row) && row.pinNo() != pinned.hold().pinNo();
    return isAnothers ? new Nothing(new Running()) : open(request, pinned, facts);
  }

  /// Whether a checkout may sell what it has claimed. Returns null if it may.
  static @Nullable ClaimOutcome refusalOfClaimedSale(LockedFacts facts, Pinned pinned) {
    var row = facts.hold();
    if (facts.consumed() != null) {
      return new ClaimOutcome.Refused(REPLAY_DUPLICATE);
    }
    if (row == null || !isClaimed(row) || row.pinNo() != pinned.hold().pinNo()) {
      return new ClaimOutcome.Refused(NOT_HELD);
    }
    return facts.items().stream().allMatch(item -> isClaimInTime(item, facts.now()))
        ? null
        : new ClaimOutcome.Refused(ELAPSED);
  }

  private static ConfirmVerdict open(ConfirmRequest request, Pinned pinned, LockedFacts facts) {
    var row = facts.hold();
    if (row != null && row.state() != HoldState.HELD) {
      return new Refuse(ended(row), false);
    }
    if (!isOfThisLife(pinned.epoch(), facts.epoch())
        || row != null && !mayEnd(row.state(), row.pinNo(), pinned.hold().pinNo())) {
      return new Nothing(new Superseded());
    }
    if (!isInTime(facts.now(), pinned.deadline())) {
      return new Nothing(new Late());
    }
    var refusal = refusal(request, pinned.hold(), facts);
    return refusal == null
        ? new Sell(sold(pinned.hold(), facts.now()), facts.items())
        : new Refuse(refusal, true);
  }

  private static @Nullable String refusal(
      ConfirmRequest request, HoldRecord hold, LockedFacts facts) {
    if (!hold.caller().equals(request.caller())) {
      return NOT_KNOWN;
    }
    if (!hold.requester().equals(request.requester())) {
      return NOT_HELD;
    }
    if (hold.fence().value() != request.fence()) {
      return STALE_FENCE;
    }
    var nonce = nonceRefusal(request, facts);
    return nonce == null ? itemRefusal(request, hold, facts) : nonce;
  }

  private static @Nullable String nonceRefusal(ConfirmRequest request, LockedFacts facts) {
    if (request.nonce() == null) {
      return request.pool().policy().requireNonce() ? NONCE_UNBOUND : null;
    }
    var nonce = facts.nonce();
    if (nonce != null && nonce.isConsumed()) {
      return NONCE_CONSUMED;
    }
    var isBound =
        nonce != null
            && nonce.holdId().equals(request.hold().toString())
            && nonce.operation().equals(ReplayKey.OPERATION)
            && !facts.now().isBefore(nonce.notBefore())
            && facts.now().isBefore(nonce.notAfter());
    return isBound ? null : NONCE_UNBOUND;
  }

  private static @Nullable String itemRefusal(
      ConfirmRequest request, HoldRecord hold, LockedFacts facts) {
    if (facts.items().stream().anyMatch(item -> item.fence() > hold.fence().value())) {
      return STALE_FENCE;
    }
    var isWhole =
        facts.items().size() == hold.items().size()
            && facts.items().stream()
                .allMatch(item -> maySell(item, request.hold().toString(), hold.fence().value()));
    return isWhole ? null : NOT_HELD;
  }

  /// The predicate of the hold row: what has ended stays as it is, and an older pin than the one on
  /// record has been shut out.
  static boolean mayEnd(HoldState state, long pinNoOnRecord, long pinNo) {
    return state == HoldState.HELD && pinNoOnRecord <= pinNo;
  }

  /// Redis has begun anew since, and whatever was pinned is plain there again or gone.
  static boolean isOfThisLife(Epoch pinned, @Nullable Epoch now) {
    return pinned.equals(now);
  }

  /// The predicate of an item.
  static boolean maySell(LockedFacts.Item item, String holdId, long fence) {
    return switch (item.status()) {
      case FREE -> item.fence() <= fence; // equal: this very hold has claimed it and given it back
      case CLAIMED -> holdId.equals(item.holder()) && item.fence() == fence;
      case SOLD -> false;
    };
  }

  static boolean isInTime(Instant now, Instant deadline) {
    return now.isBefore(deadline);
  }

  static boolean isClaimInTime(LockedFacts.Item item, Instant now) {
    return item.claimUntil() == null || isInTime(now, item.claimUntil());
  }

  /// A row that is HELD has an odd number only while a checkout has claimed its items.
  static boolean isClaimed(HoldRecord row) {
    return row.state() == HoldState.HELD && row.pinNo() % 2 == 1;
  }

  private static boolean canUnpin(ConfirmRequest request, @Nullable HoldRecord row) {
    return request.intent() instanceof Pinned(var hold, _, _)
        && (row == null || !isClaimed(row) && mayEnd(row.state(), row.pinNo(), hold.pinNo() + 1));
  }

  static HoldRecord sold(HoldRecord hold, Instant now) {
    var at = now.isBefore(hold.placedAt()) ? hold.placedAt() : now;
    return hold.ended(HoldState.CONFIRMED, at, null);
  }

  private static String ended(HoldRecord row) {
    return row.endReason() == EndReason.WINDOW || row.endReason() == EndReason.LEASE
        ? ELAPSED
        : NOT_HELD;
  }

  private static String outcome(Refusal why) {
    return switch (why) {
      case NOT_HELD -> NOT_HELD;
      case ELAPSED -> ELAPSED;
      case STALE_FENCE -> STALE_FENCE;
      case NOT_KNOWN -> NOT_KNOWN;
    };
  }
}
