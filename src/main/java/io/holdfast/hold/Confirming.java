package io.holdfast.hold;

import io.holdfast.commitment.CommitOutcome;
import io.holdfast.commitment.Confirm;
import io.holdfast.commitment.Intent;
import io.holdfast.commitment.Ledger;
import io.holdfast.hold.HoldOutcome.Away;
import io.holdfast.hold.HoldOutcome.Collision;
import io.holdfast.hold.HoldOutcome.Confirmed;
import io.holdfast.hold.HoldOutcome.Drift;
import io.holdfast.hold.HoldOutcome.Pinning;
import io.holdfast.hold.HoldOutcome.Running;
import io.holdfast.hold.HoldOutcome.Shed;
import io.holdfast.pool.Action;
import io.holdfast.pool.HoldId;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/// Turns a hold into a sale: pin it in Redis, decide in Postgres, tell Redis. Only the middle one
/// counts. Whatever dies after the pin, the sweep finds it and the resolver asks Postgres; whatever
/// dies after the decision, the relay tells Redis.
@Singleton
final class Confirming {
  private static final int PINS_MAX = 3;

  private final HoldDesk desk;
  private final Ledger ledger;
  private final Settling settling;
  private final PinResolver resolver;
  private final Acknowledging acknowledging;
  private final ClockSkew skew;

  Confirming(
      HoldDesk desk,
      Ledger ledger,
      Settling settling,
      PinResolver resolver,
      Acknowledging acknowledging,
      ClockSkew skew) {
    this.desk = desk;
    this.ledger = ledger;
    this.settling = settling;
    this.resolver = resolver;
    this.acknowledging = acknowledging;
    this.skew = skew;
  }

  CompletionStage<Decision> confirm(TokenCall call, HoldId hold, Purchase purchase) {
    return new Call(call, hold, purchase, System.nanoTime()).pin(PINS_MAX);
  }

  /// One call on its way through both layers.
  private final class Call {
    private final TokenCall token;
    private final HoldId hold;
    private final Purchase purchase;
    private final long since;

    Call(TokenCall token, HoldId hold, Purchase purchase, long since) {
      this.token = token;
      this.hold = hold;
      this.purchase = purchase;
      this.since = since;
    }

    CompletionStage<Decision> pin(int pinsLeft) {
      if (skew.isTooLarge()) {
        return away(true, "The clocks of Redis and Postgres are too far apart");
      }
      var pinned = desk.pin(token, hold, purchase.requester(), purchase.fence());
      ledger.announce();
      pinned.whenComplete((_, _) -> ledger.present());
      return pinned.thenCompose(
          decision ->
              switch (decision.outcome()) {
                case Pinning(var intent) -> commit(intent, pinsLeft);
                case Away(_, var why) -> commit(new Intent.Away(why), pinsLeft);
                case Shed _ -> commit(new Intent.Away("Too many calls wait for Redis"), pinsLeft);
                case HoldOutcome _ -> CompletableFuture.completedStage(decision);
              });
    }

    private CompletionStage<Decision> commit(Intent intent, int pinsLeft) {
      var confirm =
          new Confirm(
              token.pool(),
              token.caller(),
              token.token(),
              token.digest(),
              hold,
              purchase.requester(),
              purchase.fence(),
              purchase.orderId(),
              purchase.logicalKey(),
              purchase.nonce(),
              purchase.attemptId(),
              intent);
      return ledger
          .confirm(confirm)
          .thenCompose(
              outcome -> {
                giveBack(intent, outcome);
                return decide(outcome, pinsLeft);
              });
    }

    /// A pin that sold nothing is taken back at once, by asking Postgres how the hold stands; what
    /// is unknown, or still under way, is left to the sweep.
    private void giveBack(Intent intent, CommitOutcome outcome) {
      var isOver =
          switch (outcome) {
            case CommitOutcome.Confirmed sale -> sale.isReplay();
            case CommitOutcome.Refused _, CommitOutcome.Collision _, CommitOutcome.Drift _ -> true;
            case CommitOutcome.Late _, CommitOutcome.NotDecided _ -> true;
            case CommitOutcome.Ended _, CommitOutcome.Running _ -> false;
            case CommitOutcome.Superseded _, CommitOutcome.Unknown _ -> false;
          };
      if (isOver && intent instanceof Intent.Pinned(var pinned, _, var epoch)) {
        resolver.resolve(hold.pool(), pinned, epoch);
      }
    }

    private CompletionStage<Decision> decide(CommitOutcome outcome, int pinsLeft) {
      return switch (outcome) {
        case CommitOutcome.Confirmed sale -> sold(sale);
        case CommitOutcome.Refused(var text, var isReplay) -> refused(text, isReplay);
        case CommitOutcome.Ended(var text, var isReplay) -> refused(text, isReplay);
        case CommitOutcome.Collision() -> fresh(new Collision());
        case CommitOutcome.Drift(var function) -> fresh(new Drift(function));
        case CommitOutcome.Running() -> fresh(new Running());
        case CommitOutcome.Superseded() when pinsLeft > 1 -> pin(pinsLeft - 1);
        case CommitOutcome.Superseded() -> away(true, "Others keep pinning the hold");
        case CommitOutcome.Late() -> away(true, "The sale took too long and was given up");
        case CommitOutcome.NotDecided(var why) -> away(true, why);
        case CommitOutcome.Unknown(var why) -> away(false, why);
      };
    }

    private CompletionStage<Decision> sold(CommitOutcome.Confirmed sale) {
      var decision = new Decision(new Confirmed(sale.hold()), sale.isReplay());
      if (sale.isReplay()) {
        return CompletableFuture.completedStage(decision);
      }
      var said = said("CONFIRMED\t" + sale.hold().format());
      var settlement = Settlement.ofSale(hold.pool(), sale.hold(), said, sale.items());
      return settling
          .settle(settlement)
          .thenApply(
              hasArrived -> {
                if (hasArrived) {
                  acknowledging.settled(sale.outboxId());
                } else {
                  acknowledging.missed();
                }
                return decision;
              });
    }

    private CompletionStage<Decision> refused(String outcome, boolean isReplay) {
      var decision = new Decision(Outcomes.parse(outcome), isReplay);
      if (isReplay) {
        return CompletableFuture.completedStage(decision);
      }
      return settling
          .settle(Settlement.ofRefusal(hold.pool(), hold.fence(), said(outcome)))
          .thenApply(_ -> decision);
    }

    /// The window began in Postgres, after this call did.
    private Settlement.Said said(String outcome) {
      var window = token.pool().policy().idempotencyWindow();
      var left = window.minus(Duration.ofNanos(System.nanoTime() - since));
      return new Settlement.Said(token, Action.CONFIRM, outcome, left);
    }

    private static CompletionStage<Decision> fresh(HoldOutcome outcome) {
      return CompletableFuture.completedStage(Decision.fresh(outcome));
    }

    private static CompletionStage<Decision> away(boolean definite, String why) {
      return fresh(new Away(definite, why));
    }
  }
}
