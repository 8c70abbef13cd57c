package io.holdfast.checkout.step;

import io.holdfast.checkout.saga.CheckoutRun;
import io.holdfast.checkout.saga.Step;
import io.holdfast.checkout.saga.StepOutcome;
import io.holdfast.checkout.saga.StepOutcome.BatchWork;
import io.holdfast.checkout.saga.StepOutcome.Batchable;
import io.holdfast.checkout.saga.StepOutcome.Done;
import io.holdfast.checkout.saga.StepOutcome.Failed;
import io.holdfast.checkout.saga.StepOutcome.InTransaction;
import io.holdfast.checkout.saga.StepOutcome.Pending;
import io.holdfast.checkout.saga.StepOutcome.Unknown;
import io.holdfast.commitment.ConfirmRequest;
import io.holdfast.commitment.PinResult;
import io.holdfast.commitment.claim.CheckoutClaims;
import io.holdfast.commitment.claim.CheckoutClaims.Claim;
import io.holdfast.commitment.claim.ClaimOutcome;
import io.holdfast.confirm.CheckoutHoldClient;
import io.holdfast.idempotency.Digest;
import io.holdfast.idempotency.Token;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.OutcomeCodec;
import io.holdfast.pool.Pool;
import io.holdfast.pool.StoredOutcome;
import io.holdfast.pool.StoredOutcome.Reason;
import io.holdfast.pool.StoredOutcome.Refusal;
import io.holdfast.postgres.Transaction;
import jakarta.inject.Singleton;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Claims the items of the hold in Postgres, so that they stay with the buyer during the payment,
/// even if Redis loses its data.
@Singleton
public final class ClaimStep implements Step {
  private final CheckoutHoldClient holds;
  private final CheckoutClaims claims;
  private final BatchWork<Claim> claimBatch = this::claim;

  ClaimStep(CheckoutHoldClient holds, CheckoutClaims claims) {
    this.holds = holds;
    this.claims = claims;
  }

  @Override
  public String name() {
    return "claim";
  }

  @Override
  public String reached() {
    return "CLAIMED";
  }

  @Override
  public StepOutcome act(CheckoutRun run, String callId) {
    var pool = holds.pool(run.id().pool()).orElseThrow();
    var order = run.order();
    var pin = holds.pin(pool, order.caller(), callId, run.hold(), order.requester());
    return switch (pin) {
      case PinResult.Pinned pinned -> {
        yield new InTransaction(
            new Batchable<>(claimBatch, claim(pool, run, callId, run.hold(), pinned)));
      }
      case PinResult.Refused(var why) -> refused(why);
      case PinResult.Absent() -> refused(Reason.NOT_KNOWN);
      case PinResult.Away(var why) -> new Unknown(why);
    };
  }

  /// The claim of what a hold holds, at the price of the order.
  Claim claim(Pool pool, CheckoutRun run, String callId, HoldId hold, PinResult.Pinned pinned) {
    return new Claim(
        confirmRequest(pool, run, callId, hold, pinned),
        holds.claimableUntil(pinned.hold()),
        run.order().price().cents());
  }

  /// The request to sell what a hold holds, for an order with the id of the checkout.
  static ConfirmRequest confirmRequest(
      Pool pool, CheckoutRun run, String callId, HoldId hold, PinResult.Pinned pinned) {
    return new ConfirmRequest(
        pool,
        run.order().caller(),
        (Token) Token.of(callId, callId.length()),
        Digest.of(callId, List.of(), Map.of()),
        hold,
        run.order().requester(),
        hold.fence().value(),
        run.id().toString(),
        run.order().logicalKey(),
        null,
        run.order().nonceHash(),
        null,
        pinned);
  }

  private List<@Nullable StepOutcome> claim(Transaction tx, List<Claim> batch, boolean isAlone) {
    var outcomes = new ArrayList<@Nullable StepOutcome>();
    for (var outcome : claims.claim(tx, batch, isAlone)) {
      var until = batch.get(outcomes.size()).until();
      outcomes.add(outcome == null ? null : claimed(outcome, until));
    }
    return outcomes;
  }

  private static StepOutcome claimed(ClaimOutcome outcome, Instant until) {
    return switch (outcome) {
      case ClaimOutcome.Done(var claimed, _, _) ->
          new Done(
              "claimed at fence " + claimed.fence(),
              before -> before.claimed(until, null),
              () -> {}); // Redis keeps the pin until the pin resolver ends it
      case ClaimOutcome.Refused(var refusal) -> refused(refusal);
      case ClaimOutcome.OtherPrice(var cents) -> otherPrice(cents);
      case ClaimOutcome.NotNow(var why) -> new Unknown("the claim ended with " + why);
    };
  }

  /// The price has changed since the checkout began.
  static Failed otherPrice(long cents) {
    return new Failed("amount-mismatch", "the items cost " + cents + " cents now");
  }

  /// Translates a refusal of the ledger into a code of the API.
  static Failed refused(Refusal refusal) {
    return switch (refusal) {
      case Reason.ELAPSED -> new Failed("window-elapsed", "the hold's time had run out");
      case Reason.CLOSING ->
          new Failed(
              "window-elapsed",
              "less of the hold's window was left than the clock margin that a sale needs"
                  + " (max-clock-skew)");
      case Reason.NOT_KNOWN -> new Failed("not-known", "there is no such hold");
      case Reason.STALE_FENCE -> new Failed("stale-fence", "a newer hold has had the items");
      case Reason.NONCE_UNBOUND ->
          new Failed("nonce-unbound", "the nonce is not valid for this hold and at this time");
      case StoredOutcome.ItemLimit(var most) ->
          new Failed("hold-limit", "the requester may have " + most + " items of the pool");
      case Reason.NONCE_CONSUMED -> new Failed("nonce-consumed", "the nonce was used before");
      case Refusal other ->
          new Failed(
              OutcomeCodec.word(other).toLowerCase(Locale.ROOT).replace('_', '-'),
              "the hold could not be claimed");
    };
  }

  @Override
  public StepOutcome undo(CheckoutRun run, String undoId) {
    return new InTransaction(tx -> giveBack(tx, run.hold()));
  }

  /// Gives the claim back when the window of its hold ends before the payment arrives.
  StepOutcome awaitPayment(Transaction tx, CheckoutRun run, String why) throws SQLException {
    var hold = run.hold();
    if (run.claimUntil() == null || !claims.isOver(tx, hold)) {
      return new Pending(why);
    }
    return giveBack(tx, hold) instanceof Done(_, var change, var afterwards)
        ? new Pending(why, change, afterwards)
        : new Pending(why);
  }

  /// Reads the claim in the transaction, because a claim with an unknown outcome may exist.
  private StepOutcome giveBack(Transaction tx, HoldId hold) throws SQLException {
    var claimed = claims.claimed(tx, hold);
    if (claimed.isEmpty()) {
      return new Done("nothing was claimed");
    }
    return switch (claims.giveBack(tx, hold.pool(), claimed.get())) {
      case ClaimOutcome.Done(var pinned, var items, _) ->
          new Done(
              "given back",
              run -> run.claimed(null, run.replacement()),
              () -> holds.givenBack(hold.pool(), pinned, items, pinned.pinNo() + 1));
      case ClaimOutcome.Refused(var why) -> new Unknown("giving the claim back ended with " + why);
      case ClaimOutcome.OtherPrice _ ->
          throw new IllegalStateException("a claim is given back at any price");
      case ClaimOutcome.NotNow(var why) -> new Unknown("giving the claim back ended with " + why);
    };
  }
}
