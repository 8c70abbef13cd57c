package io.holdfast.hold.pin;

import io.holdfast.commitment.CommitOutcome;
import io.holdfast.commitment.EndHoldRequest;
import io.holdfast.commitment.Ledger;
import io.holdfast.hold.HoldOutcome;
import io.holdfast.hold.HoldOutcome.Away;
import io.holdfast.hold.HoldOutcome.Collision;
import io.holdfast.hold.HoldOutcome.Drift;
import io.holdfast.hold.HoldOutcome.Expired;
import io.holdfast.hold.HoldOutcome.Pinned;
import io.holdfast.hold.HoldOutcome.Released;
import io.holdfast.hold.HoldOutcome.Running;
import io.holdfast.hold.IdempotentRequest;
import io.holdfast.hold.OutcomeCodec;
import io.holdfast.hold.TokenOutcome;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.HoldState;
import io.holdfast.pool.TokenAction;
import io.holdfast.postgres.PostgresUnavailable;
import io.micronaut.scheduling.TaskExecutors;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;

/// Releases and expiries of holds that are being committed at this moment: Postgres decides which
/// of the two comes first, and Redis is told.
@Singleton
public final class PinnedHoldEnding {
  private final Ledger ledger;
  private final RedisSettler settling;
  private final ExecutorService executor;

  PinnedHoldEnding(
      Ledger ledger,
      RedisSettler settling,
      @Named(TaskExecutors.BLOCKING) ExecutorService executor) {
    this.ledger = ledger;
    this.settling = settling;
    this.executor = executor;
  }

  /// Leaves every decision alone but `Pinned`.
  public CompletionStage<TokenOutcome> decide(
      TokenOutcome decision, IdempotentRequest call, TokenAction action) {
    return decision.outcome() instanceof Pinned pinned
        ? CompletableFuture.supplyAsync(() -> ledger.end(asked(call, action, pinned)), executor)
            .thenCompose(outcome -> told(outcome, call, action, pinned.hold()))
            .exceptionally(PinnedHoldEnding::notDecided)
        : CompletableFuture.completedStage(decision);
  }

  private static EndHoldRequest asked(IdempotentRequest call, TokenAction action, Pinned pinned) {
    return new EndHoldRequest(
        action,
        call.pool(),
        call.caller(),
        call.token(),
        call.digest(),
        pinned.hold(),
        action == TokenAction.RELEASE ? HoldState.RELEASED : HoldState.EXPIRED,
        pinned.reason(),
        pinned.epoch());
  }

  private CompletionStage<TokenOutcome> told(
      CommitOutcome outcome, IdempotentRequest call, TokenAction action, HoldRecord hold) {
    return switch (outcome) {
      case CommitOutcome.Ended(var text, var isReplay) -> told(text, isReplay, call, action, hold);
      case CommitOutcome.Refused(var text, var isReplay) ->
          told(text, isReplay, call, action, hold);
      case CommitOutcome.Collision() -> fresh(new Collision());
      case CommitOutcome.Drift(var function) -> fresh(new Drift(function));
      case CommitOutcome.Running() -> fresh(new Running());
      case CommitOutcome.Unknown(var why) -> fresh(new Away(false, why));
      case CommitOutcome.NotDecided(var why) -> fresh(new Away(true, why));
      case CommitOutcome.Superseded(), CommitOutcome.Late() ->
          fresh(new Away(true, "Others keep pinning the hold"));
      case CommitOutcome.Confirmed _ ->
          throw new IllegalStateException("nobody asked for a sale: " + outcome);
    };
  }

  private CompletionStage<TokenOutcome> told(
      String text, boolean isReplay, IdempotentRequest call, TokenAction action, HoldRecord hold) {
    var decision = new TokenOutcome(OutcomeCodec.parse(text), isReplay);
    var pool = call.pool().name();
    var window = call.pool().policy().idempotencyWindow();
    var said = new SettleCommand.Said(call, action, text, window);
    var settlement =
        switch (decision.outcome()) {
          case Released(var ended) -> SettleCommand.ofEnd(pool, ended, said);
          case Expired(var ended) -> SettleCommand.ofEnd(pool, ended, said);
          case HoldOutcome _ -> SettleCommand.ofRefusal(pool, hold.fence(), said);
        };
    return isReplay
        ? CompletableFuture.completedStage(decision)
        : settling.settle(settlement).thenApply(_ -> decision);
  }

  private static CompletionStage<TokenOutcome> fresh(HoldOutcome outcome) {
    return CompletableFuture.completedStage(TokenOutcome.fresh(outcome));
  }

  private static TokenOutcome notDecided(Throwable failure) {
    if (failure.getCause() instanceof PostgresUnavailable lost) {
      var why = "Postgres, which has to decide while the hold is being committed, is away";
      return TokenOutcome.fresh(new Away(lost.isDefinite(), why));
    }
    throw new CompletionException(failure.getCause());
  }
}
