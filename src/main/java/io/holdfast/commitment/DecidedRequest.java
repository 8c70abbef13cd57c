package io.holdfast.commitment;

import io.holdfast.commitment.CommitOutcome.Confirmed;
import io.holdfast.commitment.CommitOutcome.Ended;
import io.holdfast.commitment.CommitOutcome.Refused;
import io.holdfast.commitment.ConfirmVerdict.Nothing;
import io.holdfast.commitment.ConfirmVerdict.Prior;
import io.holdfast.commitment.ConfirmVerdict.Refuse;
import io.holdfast.commitment.ConfirmVerdict.Repeat;
import io.holdfast.commitment.ConfirmVerdict.Sell;
import io.holdfast.commitment.PinResult.Pinned;
import io.holdfast.commitment.TokenTable.Spent;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.TokenAction;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// One request on its way through a transaction, and what was decided on it.
record DecidedRequest(ConfirmRequest request, LockedFacts facts, ConfirmVerdict verdict) {
  static final String CONFIRMED = "CONFIRMED\t";

  /// What the token keeps or has kept; null if nothing is kept. Of a sale it leaves open when it is
  /// made.
  @Nullable String outcome() {
    return switch (verdict) {
      case Sell(var hold, _) -> CONFIRMED + hold.formatEndedAt(Moment.UNKNOWN);
      case Refuse(var outcome, _) -> outcome;
      case Prior(var outcome) -> outcome;
      case Repeat(var outcome) -> outcome;
      case Nothing _ -> null;
    };
  }

  boolean isReplay() {
    return verdict instanceof Prior || verdict instanceof Repeat;
  }

  boolean isSale() {
    return verdict instanceof Sell;
  }

  /// Whether the transaction decides something, which a lost answer to COMMIT leaves open.
  boolean isRecorded() {
    return !(verdict instanceof Nothing || verdict instanceof Repeat);
  }

  /// Sold now or before, with nobody having taken the second look.
  boolean isUnverified() {
    var outcome = outcome();
    return facts.verified() == null && outcome != null && outcome.startsWith(CONFIRMED);
  }

  String pool() {
    return request.pool().name().value();
  }

  /// The hold as the sale leaves it, except for the time, which the statement decides.
  HoldRecord soldHold() {
    return switch (verdict) {
      case Sell(var hold, _) -> hold;
      case Refuse _, Prior _, Repeat _, Nothing _ ->
          throw new IllegalStateException("not a sale: " + verdict);
    };
  }

  /// The hold whose row changes: a hold that is sold, or that a refusal unpins.
  @Nullable HoldRecord changedHold() {
    return switch (verdict) {
      case Sell(var hold, _) -> hold;
      case Refuse(_, var unpins) ->
          unpins && request.intent() instanceof Pinned(var hold, _, _) ? hold : null;
      case Prior _, Repeat _, Nothing _ -> null;
    };
  }

  /// The pin number that the row gets. A sale keeps that of its pin; a refusal takes the next one,
  /// which shuts the pin out.
  @Nullable Long changedPinNo() {
    var hold = changedHold();
    return hold == null ? null : isSale() ? hold.pinNo() : hold.pinNo() + 1;
  }

  /// The earliest time that the decision may have.
  Instant decidedAt() {
    return verdict instanceof Sell(var hold, _) ? hold.endedAt() : facts.now();
  }

  String attemptOutcome() {
    return verdict instanceof Nothing(var nothing)
        ? nothing.getClass().getSimpleName()
        : outcome().substring(0, outcome().indexOf('\t'));
  }

  static List<SaleVerifier.Sold> unverified(List<DecidedRequest> requests) {
    return requests.stream()
        .filter(DecidedRequest::isUnverified)
        .map(each -> SaleVerifier.Sold.of(each.request.hold()))
        .toList();
  }

  Stream<Spent> spent() {
    return isRecorded()
        ? Stream.of(
            new Spent(
                TokenAction.CONFIRM,
                request.pool(),
                request.caller(),
                request.token(),
                request.digest(),
                outcome(),
                decidedAt()))
        : Stream.empty();
  }

  /// The token of one sale tells, since its outcome has the pin's number in it. A refusal may have
  /// been recorded by another call under the same token, so of those each has to be there.
  static List<Spent> witnesses(List<DecidedRequest> cases) {
    var sale = cases.stream().filter(DecidedRequest::isSale).findFirst();
    return sale.isPresent()
        ? sale.get().spent().toList()
        : cases.stream().flatMap(DecidedRequest::spent).toList();
  }

  /// @param isSound whether the second look at the sale found nothing
  CommitOutcome answer(SaleRows rows, boolean isSound) {
    var hold = request.hold().toString();
    return switch (verdict) {
      case Nothing(var nothing) -> nothing;
      case Sell(var sold, _) when isSound ->
          new Confirmed(
              sold.ended(sold.state(), rows.endOf(sold, hold), null),
              rows.versions(hold),
              rows.outboxId(hold),
              false);
      case Sell _ -> new Refused(ConfirmRules.COMPENSATING, false);
      case Refuse _, Prior _, Repeat _ -> answer(outcome(), isReplay(), isSound);
    };
  }

  /// Of what was decided before, or is no sale.
  static CommitOutcome answer(String outcome, boolean isReplay, boolean isSound) {
    if (outcome.startsWith(CONFIRMED)) {
      var hold = HoldRecord.parse(outcome.substring(CONFIRMED.length()));
      return isSound
          ? new Confirmed(hold, List.of(), 0, isReplay)
          : new Refused(ConfirmRules.COMPENSATING, isReplay);
    }
    return outcome.startsWith("RELEASED\t") || outcome.startsWith("EXPIRED\t")
        ? new Ended(outcome, isReplay)
        : new Refused(outcome, isReplay);
  }
}
