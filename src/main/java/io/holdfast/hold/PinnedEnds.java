package io.holdfast.hold;

import io.holdfast.commitment.CommitOutcome;
import io.holdfast.commitment.EndCall;
import io.holdfast.commitment.Ledger;
import io.holdfast.hold.HoldOutcome.Away;
import io.holdfast.hold.HoldOutcome.Collision;
import io.holdfast.hold.HoldOutcome.Drift;
import io.holdfast.hold.HoldOutcome.Expired;
import io.holdfast.hold.HoldOutcome.Pinned;
import io.holdfast.hold.HoldOutcome.Released;
import io.holdfast.hold.HoldOutcome.Running;
import io.holdfast.pool.Action;
import io.holdfast.pool.HoldRecord;
import io.holdfast.pool.HoldState;
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
final class PinnedEnds {
  private final Ledger ledger;
  private final Settling settling;
  private final ExecutorService executor;

  PinnedEnds(
      Ledger ledger, Settling settling, @Named(TaskExecutors.BLOCKING) ExecutorService executor) {
    this.ledger = ledger;
    this.settling = settling;
    this.executor = executor;
  }

  /// Leaves every decision alone but `Pinned`.
  CompletionStage<Decision> decide(Decision decision, TokenCall call, Action action) {
    return decision.outcome() instanceof Pinned pinned
        ? CompletableFuture.supplyAsync(() -> ledger.end(asked(call, action, pinned)), executor)
            .thenCompose(outcome -> told(outcome, call, action, pinned.hold()))
            .exceptionally(PinnedEnds::notDecided)
        : CompletableFuture.completedStage(decision);
  }

  private static EndCall asked(TokenCall call, Action action, Pinned pinned) {
    return new EndCall(
        action,
        call.pool(),
        call.caller(),
        call.token(),
        call.digest(),
        pinned.hold(),
        action == Action.RELEASE ? HoldState.RELEASED : HoldState.EXPIRED,
        pinned.reason(),
        pinned.epoch());
  }

  private CompletionStage<Decision> told(
      CommitOutcome outcome, TokenCall call, Action action, HoldRecord hold) {
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

  private CompletionStage<Decision> told(
      String text, boolean isReplay, TokenCall call, Action action, HoldRecord hold) {
    var decision = new Decision(Outcomes.parse(text), isReplay);
    var pool = call.pool().name();
    var window = call.pool().policy().idempotencyWindow();
    var said = new Settlement.Said(call, action, text, window);
    var settlement =
        switch (decision.outcome()) {
          case Released(var ended) -> Settlement.ofEnd(pool, ended, said);
          case Expired(var ended) -> Settlement.ofEnd(pool, ended, said);
          case HoldOutcome _ -> Settlement.ofRefusal(pool, hold.fence(), said);
        };
    return isReplay
        ? CompletableFuture.completedStage(decision)
        : settling.settle(settlement).thenApply(_ -> decision);
  }

  private static CompletionStage<Decision> fresh(HoldOutcome outcome) {
    return CompletableFuture.completedStage(Decision.fresh(outcome));
  }

  private static Decision notDecided(Throwable failure) {
    if (failure.getCause() instanceof PostgresUnavailable lost) {
      var why = "Postgres, which has to decide while the hold is being committed, is away";
      return Decision.fresh(new Away(lost.isDefinite(), why));
    }
    throw new CompletionException(failure.getCause());
  }
}
