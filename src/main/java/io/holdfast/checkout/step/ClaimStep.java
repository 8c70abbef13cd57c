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
import io.holdfast.commitment.CheckoutClaims;
import io.holdfast.commitment.CheckoutClaims.Claim;
import io.holdfast.commitment.ClaimOutcome;
import io.holdfast.commitment.PinResult;
import io.holdfast.confirm.CheckoutHoldClient;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.OutcomeCodec;
import io.holdfast.pool.StoredOutcome.Reason;
import io.holdfast.pool.StoredOutcome.Refusal;
import io.holdfast.postgres.Transaction;
import jakarta.inject.Singleton;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Writes the hold into Postgres, so that nobody else can have its items while it is paid for, not
/// even if Redis loses its memory.
@Singleton
public final class ClaimStep implements Step {
  private final CheckoutHoldClient intents;
  private final CheckoutClaims claims;
  private final RunConfirmRequests purchases;
  private final BatchWork<Claim> crew = this::claim;

  ClaimStep(CheckoutHoldClient intents, CheckoutClaims claims, RunConfirmRequests purchases) {
    this.intents = intents;
    this.claims = claims;
    this.purchases = purchases;
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
    var hold = RunConfirmRequests.hold(run);
    var order = run.order();
    var intent = intents.pin(purchases.pool(run), order.caller(), callId, hold, order.requester());
    return switch (intent) {
      case PinResult.Pinned pinned ->
          new InTransaction(
              new Batchable<>(
                  crew,
                  new Claim(
                      purchases.of(run, callId, hold, pinned),
                      intents.claimableUntil(pinned.hold()))));
      case PinResult.Refused(var why) -> refused(why);
      case PinResult.Absent() -> refused(Reason.NOT_KNOWN);
      case PinResult.Away(var why) -> new Unknown(why);
    };
  }

  private List<@Nullable StepOutcome> claim(Transaction tx, List<Claim> wishes, boolean isAlone) {
    var outcomes = new ArrayList<@Nullable StepOutcome>();
    for (var outcome : claims.claim(tx, wishes, isAlone)) {
      var until = wishes.get(outcomes.size()).until();
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
              () -> {}); // Redis keeps what is pinned; the resolver tells it for how long
      case ClaimOutcome.Refused(var refusal) -> refused(refusal);
      case ClaimOutcome.NotNow(var why) -> new Unknown("the claim came to " + why);
    };
  }

  /// A refusal of the ledger with the code that clients know.
  static Failed refused(Refusal refusal) {
    return switch (refusal) {
      case Reason.ELAPSED -> new Failed("window-elapsed", "the hold's time had run out");
      case Reason.NOT_KNOWN -> new Failed("not-known", "there is no such hold");
      case Reason.STALE_FENCE -> new Failed("stale-fence", "a newer holder has been there");
      case Refusal other ->
          new Failed(
              OutcomeCodec.word(other).toLowerCase(Locale.ROOT).replace('_', '-'),
              "the hold could not be claimed");
    };
  }

  @Override
  public StepOutcome undo(CheckoutRun run, String undoId) {
    return new InTransaction(tx -> giveBack(tx, RunConfirmRequests.hold(run)));
  }

  /// A claim does not outlast the window of its hold, however long the payment takes: others may
  /// have the items then.
  StepOutcome awaited(Transaction tx, CheckoutRun run, String why) throws SQLException {
    var hold = RunConfirmRequests.hold(run);
    if (run.claimUntil() == null || !claims.isOver(tx, hold)) {
      return new Pending(why);
    }
    return giveBack(tx, hold) instanceof Done(_, var change, var afterwards)
        ? new Pending(why, change, afterwards)
        : new Pending(why);
  }

  /// Finds out in the transaction, for a claim whose end was lost may have been made.
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
              () -> intents.givenBack(hold.pool(), pinned, items, pinned.pinNo() + 1));
      case ClaimOutcome.Refused(var why) -> new Unknown("giving back came to " + why);
      case ClaimOutcome.NotNow(var why) -> new Unknown("giving back came to " + why);
    };
  }
}
