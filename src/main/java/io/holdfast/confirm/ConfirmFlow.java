package io.holdfast.confirm;

import io.holdfast.commitment.CommitOutcome;
import io.holdfast.commitment.ConfirmRequest;
import io.holdfast.commitment.Ledger;
import io.holdfast.commitment.PinResult;
import io.holdfast.hold.HoldOutcome;
import io.holdfast.hold.HoldOutcome.Away;
import io.holdfast.hold.HoldOutcome.Collision;
import io.holdfast.hold.HoldOutcome.Confirmed;
import io.holdfast.hold.HoldOutcome.Drift;
import io.holdfast.hold.HoldOutcome.Pinning;
import io.holdfast.hold.HoldOutcome.Running;
import io.holdfast.hold.HoldOutcome.Shed;
import io.holdfast.hold.HoldService;
import io.holdfast.hold.IdempotentRequest;
import io.holdfast.hold.OutcomeCodec;
import io.holdfast.hold.TokenOutcome;
import io.holdfast.hold.pin.PinResolver;
import io.holdfast.hold.pin.RedisSettler;
import io.holdfast.hold.pin.SettleCommand;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.TokenAction;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/// Turns a hold into a sale: pin it in Redis, decide in Postgres, tell Redis. Only the middle one
/// counts. Whatever dies after the pin, the sweep finds it and the resolver asks Postgres; whatever
/// dies after the decision, the relay tells Redis.
@Singleton
final class ConfirmFlow {
  private static final int PINS_MAX = 3;

  private final HoldService desk;
  private final Ledger ledger;
  private final RedisSettler settling;
  private final PinResolver resolver;
  private final OutboxAcknowledger acknowledging;
  private final ClockSkew skew;

  ConfirmFlow(
      HoldService desk,
      Ledger ledger,
      RedisSettler settling,
      PinResolver resolver,
      OutboxAcknowledger acknowledging,
      ClockSkew skew) {
    this.desk = desk;
    this.ledger = ledger;
    this.settling = settling;
    this.resolver = resolver;
    this.acknowledging = acknowledging;
    this.skew = skew;
  }

  CompletionStage<TokenOutcome> confirm(IdempotentRequest call, HoldId hold, ConfirmBody purchase) {
    return new Call(call, hold, purchase, System.nanoTime()).pin(PINS_MAX);
  }

  /// One call on its way through both layers.
  private final class Call {
    private final IdempotentRequest token;
    private final HoldId hold;
    private final ConfirmBody purchase;
    private final long since;

    Call(IdempotentRequest token, HoldId hold, ConfirmBody purchase, long since) {
      this.token = token;
      this.hold = hold;
      this.purchase = purchase;
      this.since = since;
    }

    CompletionStage<TokenOutcome> pin(int pinsLeft) {
      if (skew.isTooLarge()) {
        return away(true, "The clocks of Redis and Postgres are too far apart");
      }
      var pin = desk.pin(token, hold, purchase.requester(), purchase.fence());
      ledger.announce();
      var pinned = pin.whenComplete((_, _) -> ledger.present()); // before it arrives at the ledger
      return pinned.thenCompose(
          decision ->
              switch (decision.outcome()) {
                case Pinning(var intent) -> commit(intent, pinsLeft);
                case Away(_, var why) -> commit(new PinResult.Away(why), pinsLeft);
                case Shed _ ->
                    commit(new PinResult.Away("Too many calls wait for Redis"), pinsLeft);
                case HoldOutcome _ -> CompletableFuture.completedStage(decision);
              });
    }

    private CompletionStage<TokenOutcome> commit(PinResult intent, int pinsLeft) {
      var confirm =
          new ConfirmRequest(
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
    private void giveBack(PinResult intent, CommitOutcome outcome) {
      var isOver =
          switch (outcome) {
            case CommitOutcome.Confirmed sale -> sale.isReplay();
            case CommitOutcome.Refused _, CommitOutcome.Collision _, CommitOutcome.Drift _ -> true;
            case CommitOutcome.Late _, CommitOutcome.NotDecided _ -> true;
            case CommitOutcome.Ended _, CommitOutcome.Running _ -> false;
            case CommitOutcome.Superseded _, CommitOutcome.Unknown _ -> false;
          };
      if (isOver && intent instanceof PinResult.Pinned(var pinned, _, var epoch)) {
        resolver.resolve(hold.pool(), pinned, epoch);
      }
    }

    private CompletionStage<TokenOutcome> decide(CommitOutcome outcome, int pinsLeft) {
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

    private CompletionStage<TokenOutcome> sold(CommitOutcome.Confirmed sale) {
      var decision = new TokenOutcome(new Confirmed(sale.hold()), sale.isReplay());
      if (sale.isReplay()) {
        return CompletableFuture.completedStage(decision);
      }
      var said = said("CONFIRMED\t" + sale.hold().format());
      var settlement = SettleCommand.ofSale(hold.pool(), sale.hold(), said, sale.items());
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

    private CompletionStage<TokenOutcome> refused(String outcome, boolean isReplay) {
      var decision = new TokenOutcome(OutcomeCodec.parse(outcome), isReplay);
      if (isReplay) {
        return CompletableFuture.completedStage(decision);
      }
      return settling
          .settle(SettleCommand.ofRefusal(hold.pool(), hold.fence(), said(outcome)))
          .thenApply(_ -> decision);
    }

    /// The window began in Postgres, after this call did.
    private SettleCommand.Said said(String outcome) {
      var window = token.pool().policy().idempotencyWindow();
      var left = window.minus(Duration.ofNanos(System.nanoTime() - since));
      return new SettleCommand.Said(token, TokenAction.CONFIRM, outcome, left);
    }

    private static CompletionStage<TokenOutcome> fresh(HoldOutcome outcome) {
      return CompletableFuture.completedStage(TokenOutcome.fresh(outcome));
    }

    private static CompletionStage<TokenOutcome> away(boolean definite, String why) {
      return fresh(new Away(definite, why));
    }
  }
}
