package io.holdfast.commitment.sale;

import io.holdfast.commitment.CommitOutcome;
import io.holdfast.commitment.CommitOutcome.Confirmed;
import io.holdfast.commitment.CommitOutcome.Ended;
import io.holdfast.commitment.CommitOutcome.Refused;
import io.holdfast.commitment.ConfirmRequest;
import io.holdfast.commitment.PinResult.Pinned;
import io.holdfast.commitment.sale.ConfirmVerdict.Nothing;
import io.holdfast.commitment.sale.ConfirmVerdict.Prior;
import io.holdfast.commitment.sale.ConfirmVerdict.Refuse;
import io.holdfast.commitment.sale.ConfirmVerdict.Repeat;
import io.holdfast.commitment.sale.ConfirmVerdict.Sell;
import io.holdfast.commitment.sale.LostCommitResolver.TokenRow;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.OutcomeCodec;
import io.holdfast.pool.StoredOutcome;
import io.holdfast.pool.StoredOutcome.Reason;
import io.holdfast.pool.TokenAction;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// One request in a transaction, the facts that were read for it, and the decision.
public record DecidedRequest(ConfirmRequest request, LockedFacts facts, ConfirmVerdict verdict) {

  /// The outcome that the token has or gets; null if nothing is stored. A sale has its earliest
  /// possible time here.
  @Nullable StoredOutcome outcome() {
    return switch (verdict) {
      case Sell(var hold, _) -> new StoredOutcome.Confirmed(hold);
      case Refuse(var outcome, _) -> outcome;
      case Prior(var outcome) -> outcome;
      case Repeat(var outcome) -> outcome;
      case Nothing _ -> null;
    };
  }

  /// Whether the token has its outcome from an earlier call. `ReplayLog` counts such a call.
  boolean isRepeat() {
    return verdict instanceof Repeat;
  }

  boolean isReplay() {
    return verdict instanceof Prior || verdict instanceof Repeat;
  }

  boolean isSale() {
    return verdict instanceof Sell;
  }

  /// Whether the transaction writes an outcome. Only then does a lost COMMIT have to be resolved.
  boolean isRecorded() {
    return !(verdict instanceof Nothing || verdict instanceof Repeat);
  }

  /// Whether there is a sale, of this request or an earlier one, without a verification.
  boolean isUnverified() {
    return facts.verified() == null && outcome() instanceof StoredOutcome.Confirmed;
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
  /// which invalidates the pin.
  @Nullable Long changedPinNo() {
    var hold = changedHold();
    return hold == null ? null : isSale() ? hold.pinNo() : hold.pinNo() + 1;
  }

  /// The earliest time that the decision may have.
  Instant decidedAt() {
    return verdict instanceof Sell(var hold, _) ? hold.endedAt() : facts.now();
  }

  /// Whether the call is recorded as an attempt. A replay executes nothing; after a drift the same
  /// call comes again.
  boolean isAttempt() {
    return !isRepeat() && !(verdict instanceof Nothing(CommitOutcome.Drift _));
  }

  @Nullable String attemptOutcome() {
    if (!isAttempt()) {
      return null;
    }
    return verdict instanceof Nothing(var nothing)
        ? nothing.getClass().getSimpleName()
        : OutcomeCodec.word(Objects.requireNonNull(outcome()));
  }

  /// The units of the hold that the sale does not take; null if it takes all.
  @Nullable Long freedQuantity() {
    return verdict instanceof Sell(var sold, _)
            && request.intent() instanceof Pinned(var held, _, _)
            && held.items().size() > sold.items().size()
        ? Long.valueOf(held.items().size() - sold.items().size())
        : null;
  }

  /// The units that the sales take of stocks.
  static List<StockUnits> stockUnits(List<DecidedRequest> requests) {
    return StockUnits.of(
        requests.stream().filter(DecidedRequest::isSale).toList(),
        DecidedRequest::pool,
        sale -> sale.facts.stock(),
        sale -> sale.soldHold().items().size());
  }

  static List<SaleVerifier.Sold> unverified(List<DecidedRequest> requests) {
    return requests.stream()
        .filter(DecidedRequest::isUnverified)
        .map(each -> SaleVerifier.Sold.of(each.request.hold()))
        .toList();
  }

  Stream<TokenRow> spent() {
    return isRecorded()
        ? Stream.of(
            new TokenRow(
                TokenAction.CONFIRM,
                request.pool(),
                request.caller(),
                request.token(),
                text(),
                decidedAt()))
        : Stream.empty();
  }

  String text() {
    return verdict instanceof Sell(var hold, _)
        ? OutcomeCodec.formatWithOpenTime(new StoredOutcome.Confirmed(hold))
        : OutcomeCodec.format(Objects.requireNonNull(outcome()));
  }

  /// The token rows that show whether the transaction was committed. One sale is enough, because
  /// its outcome contains the pin number. A refusal may have been recorded by another call under
  /// the same token, so without a sale all rows are compared.
  static List<TokenRow> tokensProvingCommit(List<DecidedRequest> cases) {
    var sale = cases.stream().filter(DecidedRequest::isSale).findFirst();
    return sale.isPresent()
        ? sale.get().spent().toList()
        : cases.stream().flatMap(DecidedRequest::spent).toList();
  }

  /// @param isSound whether the verification of the sale found no fault
  CommitOutcome answer(SaleRows rows, boolean isSound) {
    var hold = request.hold().toString();
    return switch (verdict) {
      case Nothing(var nothing) -> nothing;
      case Sell(var sold, _) when isSound ->
          new Confirmed(
              sold.ended(sold.state(), rows.endOf(sold, hold), null),
              rows.versions(request.hold()),
              rows.outboxId(hold),
              false);
      case Sell _ -> new Refused(Reason.COMPENSATING, false);
      case Refuse _, Prior _, Repeat _ ->
          answer(Objects.requireNonNull(outcome()), isReplay(), isSound);
    };
  }

  /// The answer for an outcome that was stored before, or that is not a sale.
  public static CommitOutcome answer(StoredOutcome outcome, boolean isReplay, boolean isSound) {
    return switch (outcome) {
      case StoredOutcome.Confirmed(var hold) when isSound ->
          new Confirmed(hold, List.of(), 0, isReplay);
      case StoredOutcome.Confirmed _ -> new Refused(Reason.COMPENSATING, isReplay);
      case StoredOutcome.Refusal refusal -> new Refused(refusal, isReplay);
      case StoredOutcome.OfHold ended -> new Ended(ended, isReplay);
      case StoredOutcome.OfTicket _ ->
          throw new IllegalStateException("the outcome of a ticket does not end a hold");
    };
  }
}
