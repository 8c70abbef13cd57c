package io.holdfast.confirm;

import io.holdfast.commitment.CommitOutcome;
import io.holdfast.commitment.ConfirmRequest;
import io.holdfast.commitment.Ledger;
import io.holdfast.commitment.PinResult;
import io.holdfast.commitment.authorization.AuthorizationNonces;
import io.holdfast.hold.HoldOutcome;
import io.holdfast.hold.HoldOutcome.Away;
import io.holdfast.hold.HoldOutcome.Collision;
import io.holdfast.hold.HoldOutcome.Decided;
import io.holdfast.hold.HoldOutcome.Drift;
import io.holdfast.hold.HoldOutcome.PinTried;
import io.holdfast.hold.HoldOutcome.Running;
import io.holdfast.hold.HoldOutcome.Shed;
import io.holdfast.hold.HoldService;
import io.holdfast.hold.IdempotentRequest;
import io.holdfast.hold.pin.PinResolver;
import io.holdfast.hold.pin.RedisSettler;
import io.holdfast.hold.pin.SettleCommand;
import io.holdfast.pool.HoldId;
import io.holdfast.pool.StoredOutcome;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/// Sells a hold in three steps: pin it in Redis, commit the sale in Postgres, settle Redis.
/// Postgres alone decides. If the process dies after the pin, the sweep finds the hold and the pin
/// resolver asks Postgres. If it dies after the commit, the outbox relay settles Redis.
@Singleton
public final class ConfirmFlow {
  private static final int PINS_MAX = 3;

  private final HoldService holds;
  private final Ledger ledger;
  private final RedisSettler settler;
  private final PinResolver resolver;
  private final OutboxAcknowledger outbox;
  private final ClockSkew skew;

  ConfirmFlow(
      HoldService holds,
      Ledger ledger,
      RedisSettler settler,
      PinResolver resolver,
      OutboxAcknowledger outbox,
      ClockSkew skew) {
    this.holds = holds;
    this.ledger = ledger;
    this.settler = settler;
    this.resolver = resolver;
    this.outbox = outbox;
    this.skew = skew;
  }

  /// Sells the whole hold.
  public CompletionStage<HoldOutcome> confirm(
      IdempotentRequest call, HoldId hold, String requester, String orderId, String logicalKey) {
    var fence = hold.fence().value();
    return confirm(
        call, hold, new ConfirmBody(requester, fence, orderId, logicalKey, null, null, null));
  }

  CompletionStage<HoldOutcome> confirm(IdempotentRequest call, HoldId hold, ConfirmBody body) {
    return new Confirm(call, hold, body, System.nanoTime()).pin(PINS_MAX);
  }

  /// The steps of one call.
  private final class Confirm {
    private final IdempotentRequest call;
    private final HoldId hold;
    private final ConfirmBody body;
    private final long since;

    Confirm(IdempotentRequest call, HoldId hold, ConfirmBody body, long since) {
      this.call = call;
      this.hold = hold;
      this.body = body;
      this.since = since;
    }

    /// A call that Redis cannot pin still goes to Postgres, which may have an outcome for its
    /// token.
    CompletionStage<HoldOutcome> pin(int pinsLeft) {
      if (skew.isTooLarge()) {
        return away(true, "The clocks of Redis and Postgres are too far apart");
      }
      var pin = holds.pin(call, hold, body.requester(), body.fence());
      ledger.expectSale();
      // runs before the sale enters the commit queue
      var pinned = pin.whenComplete((_, _) -> ledger.stopExpectingSale());
      return pinned.thenCompose(
          outcome ->
              switch (outcome) {
                case PinTried(var result) -> commit(result, pinsLeft);
                case Away(_, var why) -> commit(new PinResult.Away(why), pinsLeft);
                case Shed _ ->
                    commit(new PinResult.Away("Too many calls wait for Redis"), pinsLeft);
                case HoldOutcome _ -> now(outcome);
              });
    }

    private CompletionStage<HoldOutcome> commit(PinResult pin, int pinsLeft) {
      var request =
          new ConfirmRequest(
              call.pool(),
              call.caller(),
              call.token(),
              call.digest(),
              hold,
              body.requester(),
              body.fence(),
              body.orderId(),
              body.logicalKey(),
              body.quantity(),
              AuthorizationNonces.hashText(body.nonce()),
              body.attemptId(),
              pin);
      return ledger
          .confirm(request)
          .thenCompose(
              outcome -> {
                unpinUnlessSold(pin, outcome);
                return settle(outcome, pinsLeft);
              });
    }

    /// Resolves a pin that sold nothing at once. A pin whose commit is unknown or still running is
    /// left to the sweep.
    private void unpinUnlessSold(PinResult pin, CommitOutcome outcome) {
      var isOver =
          switch (outcome) {
            case CommitOutcome.Confirmed sale -> sale.isReplay();
            case CommitOutcome.Refused _, CommitOutcome.Collision _, CommitOutcome.Drift _ -> true;
            case CommitOutcome.Late _, CommitOutcome.NotDecided _ -> true;
            case CommitOutcome.Ended _, CommitOutcome.Running _ -> false;
            case CommitOutcome.Superseded _, CommitOutcome.Unknown _ -> false;
          };
      if (isOver && pin instanceof PinResult.Pinned(var pinned, _, var epoch)) {
        resolver.resolve(hold.pool(), pinned, epoch);
      }
    }

    private CompletionStage<HoldOutcome> settle(CommitOutcome outcome, int pinsLeft) {
      return switch (outcome) {
        case CommitOutcome.Confirmed sale -> settleSale(sale);
        case CommitOutcome.Refused(var refusal, var isReplay) ->
            settleRefusal(new Decided(refusal, isReplay));
        case CommitOutcome.Ended(var ended, var isReplay) ->
            settleRefusal(new Decided(ended, isReplay));
        case CommitOutcome.Collision() -> now(new Collision());
        case CommitOutcome.Drift(var function) -> now(new Drift(function));
        case CommitOutcome.Running() -> now(new Running());
        case CommitOutcome.Superseded() when pinsLeft > 1 -> pin(pinsLeft - 1);
        case CommitOutcome.Superseded() -> away(true, "Other calls keep pinning the hold");
        case CommitOutcome.Late() -> away(true, "The sale took too long and was given up");
        case CommitOutcome.NotDecided(var why) -> away(true, why);
        case CommitOutcome.Unknown(var why) -> away(false, why);
      };
    }

    private CompletionStage<HoldOutcome> settleSale(CommitOutcome.Confirmed sale) {
      var decided = new Decided(new StoredOutcome.Confirmed(sale.hold()), sale.isReplay());
      if (sale.isReplay()) {
        return now(decided);
      }
      var command =
          SettleCommand.ofSale(hold.pool(), sale.hold(), tokenResult(decided), sale.items());
      return settler
          .settle(command)
          .thenApply(
              isSettled -> {
                if (isSettled) {
                  outbox.acknowledge(sale.outboxId());
                } else {
                  outbox.expectRelay();
                }
                return decided;
              });
    }

    private CompletionStage<HoldOutcome> settleRefusal(Decided decided) {
      if (decided.isReplay()) {
        return now(decided);
      }
      return settler
          .settle(SettleCommand.ofRefusal(hold.pool(), hold.fence(), tokenResult(decided)))
          .thenApply(_ -> decided);
    }

    /// The window of the token began in Postgres, after this call began. Redis replays the outcome
    /// for the rest of it.
    private SettleCommand.TokenResult tokenResult(Decided decided) {
      var window = call.pool().policy().commitWindow();
      var left = window.minus(Duration.ofNanos(System.nanoTime() - since));
      return new SettleCommand.TokenResult(call, decided.outcome(), left);
    }

    private static CompletionStage<HoldOutcome> now(HoldOutcome outcome) {
      return CompletableFuture.completedStage(outcome);
    }

    private static CompletionStage<HoldOutcome> away(boolean definite, String why) {
      return now(new Away(definite, why));
    }
  }
}
