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
import io.holdfast.pool.OutcomeCodec;
import io.holdfast.pool.StoredOutcome;
import io.holdfast.pool.StoredOutcome.Reason;
import io.holdfast.pool.TokenAction;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// One request in a transaction, the facts that were read for it, and the decision.
record DecidedRequest(ConfirmRequest request, LockedFacts facts, ConfirmVerdict verdict) {

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

  Stream<Sale> sale(String artifact) {
    return verdict instanceof Sell(var hold, var items)
        ? Stream.of(new Sale(request, hold, items, ReplayKey.of(request, artifact)))
        : Stream.empty();
  }

  /// The change of the hold's row, if there is one.
  Stream<HoldUpsert> holdWrite() {
    var pool = request.pool().name();
    return switch (verdict) {
      case Sell(var hold, _) -> Stream.of(new HoldUpsert(pool, hold, hold.pinNo()));
      case Refuse(_, var unpins)
          when unpins && request.intent() instanceof Pinned(HoldRecord hold, _, _) ->
          Stream.of(new HoldUpsert(pool, hold, hold.pinNo() + 1));
      case Refuse _, Prior _, Repeat _, Nothing _ -> Stream.empty();
    };
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
                text(),
                verdict instanceof Sell(var hold, _) ? hold.endedAt() : facts.now()))
        : Stream.empty();
  }

  private String text() {
    return verdict instanceof Sell(var hold, _)
        ? OutcomeCodec.formatWithOpenTime(new StoredOutcome.Confirmed(hold))
        : OutcomeCodec.format(Objects.requireNonNull(outcome()));
  }

  /// The token rows that show whether the transaction was committed. One sale is enough, because
  /// its outcome contains the pin number. A refusal may have been recorded by another call under
  /// the same token, so without a sale all rows are compared.
  static List<Spent> witnesses(List<DecidedRequest> cases) {
    var sale = cases.stream().filter(DecidedRequest::isSale).findFirst();
    return sale.isPresent()
        ? sale.get().spent().toList()
        : cases.stream().flatMap(DecidedRequest::spent).toList();
  }

  AttemptLog.Tried tried() {
    var word =
        verdict instanceof Nothing(var nothing)
            ? nothing.getClass().getSimpleName()
            : OutcomeCodec.word(Objects.requireNonNull(outcome()));
    return AttemptLog.Tried.of(request, word, isReplay() ? "replayed" : "");
  }

  /// @param isSound whether the verification of the sale found no fault
  CommitOutcome answer(SaleStatement closing, boolean isSound) {
    var hold = request.hold().toString();
    return switch (verdict) {
      case Nothing(var nothing) -> nothing;
      case Sell(var sold, _) when isSound ->
          new Confirmed(
              sold.ended(sold.state(), closing.endOf(sold, hold), null),
              closing.versions(hold),
              closing.outboxId(hold),
              false);
      case Sell _ -> new Refused(Reason.COMPENSATING, false);
      case Refuse _, Prior _, Repeat _ ->
          answer(Objects.requireNonNull(outcome()), isReplay(), isSound);
    };
  }

  /// The answer for an outcome that was stored before, or that is not a sale.
  static CommitOutcome answer(StoredOutcome outcome, boolean isReplay, boolean isSound) {
    return switch (outcome) {
      case StoredOutcome.Confirmed(var hold) when isSound ->
          new Confirmed(hold, List.of(), 0, isReplay);
      case StoredOutcome.Confirmed _ -> new Refused(Reason.COMPENSATING, isReplay);
      case StoredOutcome.Refusal refusal -> new Refused(refusal, isReplay);
      case StoredOutcome.OfHold ended -> new Ended(ended, isReplay);
    };
  }
}
